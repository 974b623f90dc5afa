// Costs of sparse updates for a core, in addition to the gradient.
#include "exec/calibration/cores.h"
#include "exec/calibration/forked.h"
#include "exec/calibration/single_runs.h"
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

constexpr int kBatches = 2000;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A worker and its server's bucket, which holds all parameters.
class Exchange {
 public:
  explicit Exchange(const std::shared_ptr<const Training>& training)
      : all_(training->layout->buckets.front()),
        worker_compute_(training, 0),
        parameters_(training, 0, initial_parameters(*training)),
        held_(worker_compute_.view(all_, parameters_.values(), effects_)) {}

  // One batch.
  void step() {
    Serial serial;
    Job gradient = worker_compute_.gradient_job(0, JobId{}, held_);
    gradient.work(serial);
    if (gradient.prefetch) gradient.prefetch();
    Payload push;
    effects_.clear();
    double coding_s = seconds_of([&] {
      push = worker_compute_.push(all_, false, effects_);
      FT_CHECK(parameters_.take_in(push, effects_));
    });
    parameters_.apply_job(JobId{}, {push}).work(serial);
    parameters_.finish_apply();
    coding_s += seconds_of([&] { held_ = parameters_.answer(push, effects_); });
    Bytes coded;
    for (const Effect& effect : effects_) {
      const Cost& cost = std::get<SpentCost>(effect).cost;
      coded += cost.read.messages + cost.written.messages;
    }
    coding_.push_back(coding_s / static_cast<double>(coded.value));
  }

  /// Median over the later steps; the first ones touch their parameters for the first time.
  [[nodiscard]] double coding_s() {
    return median({coding_.begin() + std::ssize(coding_) / 4, coding_.end()}).value();
  }

 private:
  const Bucket& all_;
  Effects effects_;  // receives the costs of the pieces of work
  WorkerCompute worker_compute_;
  ShardBucket parameters_;
  Payload held_;
  std::vector<double> coding_;
};

}  // namespace

double measure_coding(const Case& scenario_case, int batch_size, int core, DataSets& data_sets) {
  const auto training = training_alone(scenario_case, batch_size, kBatches, data_sets);
  FT_CHECK(training->sparse());
  Forked<double> child(core, [&] {
    Exchange exchange(training);
    for (int i = 0; i < kBatches; ++i) exchange.step();
    return exchange.coding_s();
  });
  return child.get();
}

}  // namespace foretrain::exec
