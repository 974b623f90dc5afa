#include "tests/bench/models.h"

#include "exec/driver/compute_threads.h"
#include "exec/system/process.h"
#include "models/cost/work.h"
#include "models/data/open_data.h"
#include "models/data/sampler.h"
#include "models/networks/network.h"
#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "models/protocol/shard.h"
#include "models/protocol/worker_compute.h"
#include "reports/record/statistics.h"
#include "tests/bench/common/bench_options.h"
#include "tests/bench/peer.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace foretrain::bench {
namespace {
using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 2;  // measured per figure

/// A network to time, in the same way as the peer's script.
struct Subject {
  const char* name;       // our name
  const char* peer;       // its name for --which; empty: the script does not have it
  const char* peer_line;  // begin of its line
  int side;               // pixels, square
  int channels;
  int classes;
  OptimizerSpec optimizer;
  std::vector<int> batches;
  bool small;
};

OptimizerSpec rule(const char* name, double rate) {
  OptimizerSpec spec;
  spec.name = name;
  spec.learning_rate = rate;
  return spec;
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all{
      {"softmax", "softmax", "softmax", 28, 1, 10, rule("sgd", 0.1), {64, 128, 512}, true},
      {"lenet", "lenet", "lenet", 28, 1, 10, rule("adam", 0.001), {8, 64, 512}, true},
      {"lenet_large", "tflenet", "tflenet", 28, 1, 10, rule("adam", 0.001), {8, 64, 512}, false},
      {"alexnet_cifar", "cifar", "cifar", 24, 3, 10, rule("sgd", 0.1), {64, 128}, false},
      {"alexnet", "alexnet", "alexnet", 224, 3, 1000, rule("momentum", 0.01), {16, 64}, false},
      {"vgg11", "", "", 32, 3, 10, rule("momentum", 0.01), {64}, false},
      {"resnet20", "", "", 32, 3, 10, rule("momentum", 0.01), {128}, false},
  };
  return all;
}

/// A single worker whose examples are drawn in advance: protocol `single` without a driver.
class Steps {
 public:
  Steps(const Subject& subject, int batch) : training_(std::make_shared<Training>()) {
    training_->protocol = &protocol_called("single");
    training_->servers = 0;
    training_->batch_size = batch;
    training_->optimizer_spec = subject.optimizer;
    training_->optimizer = make_optimizer(subject.optimizer);
    // Two batches in memory, as in the peer.
    training_->data = std::make_shared<const DataSplit>(held(subject, 2 * batch));
    training_->network = std::make_shared<const Network>(network_spec(subject.name, {}),
                                                         training_->data->train->shape());
    const std::int64_t parameters = training_->network->parameters();
    training_->layout =
        std::make_shared<const Layout>(make_layout(parameters, Bytes{4 * parameters}, 1));
    worker_compute_.emplace(training_, 0);
    shard_.emplace(training_, 0, initial_parameters(*training_));
  }

  void step(Parallel& parallel) {
    worker_compute_->gradient_job(0, {}, shard_->values()).work(parallel);
    Effects spent;  // remains empty: a push is a part of a dense gradient
    const Payload push = worker_compute_->push(training_->layout->buckets.front(), false, spent);
    shard_->apply_job({}, {push}).work(parallel);
    shard_->finish_apply();
  }
  [[nodiscard]] double flops() const {
    return gradient_cost(*training_->network, training_->batch_size).flops.value;
  }

 private:
  static DataSplit held(const Subject& subject, std::int64_t count) {
    Stream stream(1, "bench.pixels");
    Images images;
    images.examples = count;
    images.rows = images.columns = subject.side;
    images.channels = subject.channels;
    images.classes = subject.classes;
    images.pixels.resize(static_cast<std::size_t>(count * images.features()));
    for (auto& pixel : images.pixels) pixel = static_cast<std::uint8_t>(stream.below(256));
    for (std::int64_t i = 0; i < count; ++i) {
      images.labels.push_back(
          static_cast<std::uint16_t>(stream.below(static_cast<std::uint64_t>(subject.classes))));
    }
    const auto dataset = make_dataset(std::move(images), {});
    return {dataset, dataset};
  }

  std::shared_ptr<Training> training_;
  std::optional<WorkerCompute> worker_compute_;
  std::optional<ShardBucket> shard_;
};

/// Milliseconds per step: the median over `seconds`.
double time_steps(Steps& steps, Parallel& parallel, double seconds, std::size_t least) {
  std::vector<double> times;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    steps.step(parallel);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  } while (times.size() < least ||
           std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
  return 1e3 * median(times).value();
}

/// Milliseconds per step of the peer, by batch size.
std::map<int, double> time_peer(double seconds, const Subject& subject, int threads) {
  const std::string command = fmt::format(
      "OMP_NUM_THREADS={0} OPENBLAS_NUM_THREADS={0} {1} /usr/bin/python3 {2}/torch_single.py "
      "--threads {0} --which {3} --secs {4}",
      threads, threads == 1 ? "taskset -c 0" : "", peers_folder(), subject.peer, seconds);
  std::map<int, double> times;
  for (const std::string& line : lines_of(command)) {
    const auto batch = number_after(line, " B=");
    const auto ms = number_after(line, "median=");
    if (!line.starts_with(subject.peer_line) || !batch || !ms) continue;
    times[static_cast<int>(*batch)] = *ms;
  }
  if (times.empty()) throw std::runtime_error("the peer printed no time: " + command);
  return times;
}

std::string row_name(const Subject& subject, int batch, int threads) {
  const std::string name = fmt::format("models/{}/{}", subject.name, batch);
  return threads == 1 ? name : fmt::format("{}/{}threads", name, threads);
}

void bench_subject(const Options& options, const Subject& subject, int threads, Report& report) {
  const double seconds = options.smoke ? 0 : options.seconds.value_or(kSeconds);
  std::map<int, std::vector<double>> ours;
  std::map<int, std::vector<double>> theirs;
  std::map<int, double> flops;
  const std::vector<int> all_cores = exec::usable_cores();
  if (threads == 1) exec::pin_to_cores({all_cores.front()});
  {
    exec::ComputeThreads parallel(threads);
    for (int round = 0; round < options.rounds; ++round) {
      for (const int batch : subject.batches) {
        if (options.smoke && batch > 64) continue;
        Steps steps(subject, batch);
        flops[batch] = steps.flops();
        for (int warm = 0; warm < (options.smoke ? 0 : 2); ++warm) steps.step(parallel);
        ours[batch].push_back(time_steps(steps, parallel, seconds, options.smoke ? 1 : 3));
      }
      if (!options.peer || subject.peer == std::string_view()) continue;
      for (const auto& [batch, ms] :
           time_peer(options.seconds.value_or(kSeconds), subject, threads)) {
        theirs[batch].push_back(ms);
      }
    }
  }
  exec::pin_to_cores(all_cores);
  for (const auto& [batch, times] : ours) {
    Result row = result_of(row_name(subject, batch, threads), "ms", Better::less, times);
    set_peer(row, "PyTorch", theirs[batch]);
    row.note = fmt::format("{:.1f} GFLOP/s", flops[batch] / row.figure * 1e-6);
    report.add(std::move(row));
  }
}

}  // namespace

void models(const std::vector<std::string>& arguments, Report& report) {
  std::vector<std::string> names;
  names.reserve(subjects().size());
  for (const Subject& subject : subjects()) names.emplace_back(subject.name);
  const Options options =
      read_options(arguments, {"--smoke", "--only", "--threads", "--seconds", "--rounds", "--peer"},
                   names, {.threads = {1, 2}});
  if (options.peer) check_torch(report);
  for (const int threads : options.threads) {
    for (const Subject& subject : subjects()) {
      if (options.smoke && !subject.small) continue;
      if (options.wants(subject.name)) bench_subject(options, subject, threads, report);
    }
  }
}

}  // namespace foretrain::bench
