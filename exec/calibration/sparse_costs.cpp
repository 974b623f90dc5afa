#include "exec/calibration/sparse_costs.h"

#include "exec/calibration/cores.h"
#include "exec/calibration/forked.h"
#include "models/base/check.h"
#include "models/protocol/shard.h"
#include "models/protocol/worker_compute.h"
#include "reports/record/statistics.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

constexpr int kBatches = 40;  // of a worker that has just begun: it has met none of them before
constexpr int kBeginnings = 10;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A worker with its server's bucket, which holds all parameters.
class Exchange {
 public:
  explicit Exchange(const std::shared_ptr<const Training>& training)
      : all_(training->layout->buckets.front()),
        worker_compute_(training, 0),
        parameters_(training, 0, initial_parameters(*training)),
        held_(worker_compute_.view(all_, parameters_.values(), effects_)) {}

  // One batch; every third update is of its push and the one before.
  void step(int number) {
    Serial serial;
    Job gradient = worker_compute_.gradient_job(0, JobId{}, held_);
    gradient.work(serial);
    if (gradient.prefetch) gradient.prefetch();
    Payload push;
    effects_.clear();
    double coding_s = seconds_of([&] {
      push = worker_compute_.push(all_, false, effects_);
      FT_CHECK(parameters_.accepts(push, effects_));
    });
    const bool two = number % 3 == 2;
    std::vector<Payload> pushes{push};
    if (two) pushes.push_back(last_);
    const Job apply = parameters_.apply_job(JobId{}, std::move(pushes));
    const double apply_s = seconds_of([&] { apply.work(serial); });
    parameters_.finish_apply();
    (two ? merged_ : scattered_).push_back(apply_s / static_cast<double>(apply.cost.bytes.value));
    coding_s += seconds_of([&] { held_ = parameters_.answer(push, effects_); });
    Bytes coded;
    for (const Effect& effect : effects_) {
      const Cost& cost = std::get<Worked>(effect).cost;
      coded += cost.read.messages + cost.written.messages;
    }
    coding_.push_back(coding_s / static_cast<double>(coded.value));
    last_ = std::move(push);
  }

  [[nodiscard]] SparseCosts costs() {
    return {std::max(0.0, median(merged_).value() - median(scattered_).value()),
            median(coding_).value()};
  }

 private:
  const Bucket& all_;
  Effects effects_;  // what the pieces of work are told to cost
  WorkerCompute worker_compute_;
  ShardBucket parameters_;
  Payload held_;
  Payload last_;
  std::vector<double> scattered_;
  std::vector<double> merged_;
  std::vector<double> coding_;
};

}  // namespace

SparseCosts measure_sparse(const Case& scenario_case, int batch_size, int core,
                           DataSets& data_sets) {
  const auto training = training_alone(scenario_case, batch_size, kBatches, data_sets);
  FT_CHECK(training->sparse());
  std::vector<double> merging;
  std::vector<double> coding;
  for (int begun = 0; begun < kBeginnings; ++begun) {
    Forked<SparseCosts> child(core, [&] {
      Exchange exchange(training);
      for (int i = 0; i < kBatches; ++i) exchange.step(i);
      return exchange.costs();
    });
    const SparseCosts costs = child.get();
    merging.push_back(costs.merging_s);
    coding.push_back(costs.coding_s);
  }
  return {median(merging).value(), median(coding).value()};
}

}  // namespace foretrain::exec
