#include "exec/calibration/calibrate.h"

#include "exec/calibration/forked.h"
#include "exec/calibration/ping_pong.h"
#include "exec/launch/run.h"
#include "models/graph/node_memory.h"
#include "models/optimizers/optimizer.h"
#include "models/protocol/learner.h"
#include "models/protocol/shard.h"
#include "reports/record/statistics.h"
#include "scenarios/model_key.h"
#include "scenarios/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3;  // of what a neighbour's work would disturb

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The straight line through two measured points.
AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s) {
  const double slope = std::max(0.0, (time_b_s - time_a_s) / (count_b - count_a));
  return {std::max(0.0, time_a_s - slope * count_a), slope};
}

// Seconds to reduce two gradients of `count` floats and apply them.
double apply_seconds(std::size_t count) {
  const Bytes size{static_cast<std::int64_t>(count) * 4};
  std::vector<Payload> gradients{Payload::allocate(size), Payload::allocate(size)};
  for (Payload& gradient : gradients) std::ranges::fill(gradient.writable_floats(), 1e-3F);
  std::vector<float> values(count, 1.0F);
  const auto optimizer = make_optimizer({});
  const std::vector<std::span<const float>> parts{gradients[0].floats(), gradients[1].floats()};
  std::vector<double> times;
  for (int repetition = 0; repetition < 50; ++repetition) {
    const auto start = Clock::now();
    reduce_and_apply(*optimizer, {}, false, values, parts, std::ssize(parts), values, {});
    times.push_back(since(start));
  }
  return median(times).value();
}

AffineCost measure_apply(int core) {
  constexpr std::size_t kSmall = 2'000;
  constexpr std::size_t kLarge = 200'000;
  constexpr double kBytesPerFloat = 4 * 4.0;  // two gradients and the values read, values written
  Forked<double> small(core, [] { return apply_seconds(kSmall); });
  const double small_s = small.get();
  Forked<double> large(core, [] { return apply_seconds(kLarge); });
  return line_through(kSmall * kBytesPerFloat, small_s, kLarge * kBytesPerFloat, large.get());
}

// How long the kernel lets one of two busy threads of a core run: the gaps that each sees.
Duration measure_slice(int core) {
  const auto median_gap = [] {
    std::vector<double> gaps;
    const auto start = Clock::now();
    auto last = start;
    while (since(start) < 0.25) {
      const auto now = Clock::now();
      const double gap = std::chrono::duration<double>(now - last).count();
      if (gap > 200e-6) gaps.push_back(gap);  // longer than any interrupt
      last = now;
    }
    return median(gaps).value_or(0);
  };
  Forked<double> one(core, median_gap);
  Forked<double> two(core, median_gap);
  const double gap_s = (one.get() + two.get()) / 2;
  return gap_s > 0 ? Duration::from_seconds(gap_s) : Machine{}.slice;
}

// The share of 50 ms that a busy thread on this core does not get.
double share_lost(int core) {
  return Forked<double>(core,
                        [] {
                          double lost_s = 0;
                          const auto start = Clock::now();
                          for (auto last = start; since(start) < 0.05;) {
                            const auto now = Clock::now();
                            const double gap_s = std::chrono::duration<double>(now - last).count();
                            if (gap_s > 100e-6) lost_s += gap_s;  // longer than any interrupt
                            last = now;
                          }
                          return lost_s / since(start);
                        })
      .get();
}

// Gradients a second, one after another.
double gradient_rate(const std::shared_ptr<const Training>& training) {
  Learner learner(training, 0);
  Serial serial;
  const Payload parameters = initial_parameters(*training);
  std::int64_t done = 0;
  const auto start = Clock::now();
  while (since(start) < 0.15) {
    learner.gradient_job(0, JobId{}, parameters).work(serial);
    ++done;
  }
  return static_cast<double>(done) / since(start);
}

double measure_contention(const Case& scenario_case, const std::vector<int>& cores) {
  if (cores.size() < 2) return 1;
  Scenario scenario = scenario_case.scenario;
  scenario.training = {};
  scenario.training.strategy = "single";
  scenario.training.steps = 1;
  const auto data = load_data(scenario_case);
  const auto training =
      make_training(scenario, shape_of(*data, scenario.training.batch_size), true, data);
  const auto body = [&] { return gradient_rate(training); };
  std::vector<double> factors;
  for (int round = 0; round < kRounds; ++round) {
    const double alone = Forked<double>(cores[0], body).get();
    Forked<double> one(cores[0], body);
    Forked<double> two(cores[1], body);
    factors.push_back(2 * alone / (one.get() + two.get()));
  }
  return std::max(1.0, median(factors).value());
}

struct SingleRun {
  double gradient_s = 0;  // median
  double jitter = 0;      // of the logarithm
  double evaluate_s = 0;  // of one example, median
};

// How long the runs of a calibration are: large models get fewer steps on fewer examples.
struct Lengths {
  int small_batch = 32;
  int large_batch = 256;
  int steps = 300;
  std::int64_t test_examples = 0;
};

Lengths lengths_for(const Network& network, std::int64_t test_examples) {
  constexpr double kFlopsPerSecond = 30e9;  // of a core, about
  constexpr double kRunSeconds = 1;         // spent on one batch size in one round
  const double gradient_s = network.gradient_cost(1).flops.value / kFlopsPerSecond;
  const double evaluate_s = network.evaluation_cost(1).flops.value / kFlopsPerSecond;
  Lengths lengths;
  lengths.large_batch = static_cast<int>(std::clamp(kRunSeconds / 8 / gradient_s, 4.0, 256.0));
  lengths.small_batch = std::max(1, lengths.large_batch / 8);
  lengths.steps =
      static_cast<int>(std::clamp(kRunSeconds / (gradient_s * lengths.large_batch), 4.0, 300.0));
  lengths.test_examples = std::min(
      test_examples, static_cast<std::int64_t>(std::max(4.0, kRunSeconds / 10 / evaluate_s)));
  return lengths;
}

// One worker alone, trained as `run` does it.
SingleRun measure_single(const Case& scenario_case, int batch_size, const Lengths& lengths,
                         const CalibrateOptions& options) {
  Case single = scenario_case;
  const TrainingSpec& given = scenario_case.scenario.training;
  TrainingSpec& training = single.scenario.training;
  training = {};
  training.strategy = "single";
  training.batch_size = batch_size;
  training.steps = lengths.steps;
  training.threads = given.threads;
  training.optimizer = given.optimizer;
  // The first evaluations touch the data first.
  training.evaluate_every = std::max(1, lengths.steps / 10);
  single.scenario.dataset.test_take = lengths.test_examples;
  single.scenario.stragglers.clear();
  single.scenario.cluster = {};
  RunOptions run_options;
  run_options.program = options.program;
  const Record record = run(single, run_options);
  if (record.outcome != Outcome::done) {
    throw std::runtime_error("calibration: " + record.failure);
  }
  std::vector<double> gradients;
  for (const StepRow& row : record.steps) {
    gradients.push_back(row.report.phases.compute.seconds());
  }
  std::vector<double> evaluations;
  for (const EvalReport& eval : record.evals) evaluations.push_back(eval.took.seconds());
  const auto examples = static_cast<double>(lengths.test_examples);
  // Quartiles, not moments: a burst of somebody else's work is no jitter of ours. A normal
  // distribution's lie 1.349 standard deviations apart.
  const double spread = quantile(gradients, 0.75).value() / quantile(gradients, 0.25).value();
  return {median(gradients).value(), std::log(spread) / 1.349,
          median(evaluations).value() / examples};
}

// Resident memory of a node's process that has next to nothing to learn, beside that.
Bytes measure_base(const CalibrateOptions& options) {
  Case tiny;
  tiny.scenario.name = "base";
  tiny.scenario.dataset.take = 64;
  tiny.scenario.dataset.test_take = 64;
  tiny.scenario.training.steps = 10;
  RunOptions run_options;
  run_options.program = options.program;
  const Record record = run(tiny, run_options);
  if (record.outcome != Outcome::done) {
    throw std::runtime_error("calibration: " + record.failure);
  }
  const DatasetShape shape = dataset_shape(tiny);
  const auto training = make_training(tiny.scenario, shape, false, nullptr);
  const DataMemory data = data_memory(tiny, shape);
  Bytes base;
  for (std::size_t i = 0; i < record.nodes.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    const Bytes held = expected_held(*training, id);
    base += record.nodes[i].rss - node_memory(*training, data, id).resident(true, held);
  }
  return {std::max<std::int64_t>(0, base.value / std::ssize(record.nodes))};
}

}  // namespace

double busy_share() {
  double lost = 0;
  const std::vector<int> cores = usable_cores();
  for (const int core : cores) lost += share_lost(core);
  return lost / static_cast<double>(cores.size());
}

void calibrate_model(Machine& machine, const Case& scenario_case, const CalibrateOptions& options) {
  const DatasetShape shape = dataset_shape(scenario_case);
  const auto network = make_network(scenario_case.scenario, shape.input);
  const Lengths lengths = lengths_for(*network, shape.test_examples);
  const std::string key = model_key(scenario_case.scenario, shape.input);
  // Small and large in turn: a slow moment of the machine meets both.
  std::vector<SingleRun> small;
  std::vector<SingleRun> large;
  for (int round = 0; round < kRounds; ++round) {
    for (const int batch : {lengths.small_batch, lengths.large_batch}) {
      if (options.progress && round == 0) options.progress(fmt::format("{}, batch {}", key, batch));
      const SingleRun run = measure_single(scenario_case, batch, lengths, options);
      (batch == lengths.small_batch ? small : large).push_back(run);
    }
  }
  const auto middle = [](const std::vector<SingleRun>& runs, double SingleRun::*figure) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const SingleRun& run : runs) values.push_back(run.*figure);
    return median(values).value();
  };
  machine.models[key] = {
      line_through(lengths.small_batch, middle(small, &SingleRun::gradient_s), lengths.large_batch,
                   middle(large, &SingleRun::gradient_s)),
      {0, (middle(small, &SingleRun::evaluate_s) + middle(large, &SingleRun::evaluate_s)) / 2},
      middle(large, &SingleRun::jitter)};
}

Machine calibrate(const Case& scenario_case, const CalibrateOptions& options) {
  const auto say = [&](const char* what) {
    if (options.progress) options.progress(what);
  };
  const std::vector<int> cores = usable_cores();
  Machine machine;
  machine.name = "this machine";
  machine.cores = static_cast<int>(cores.size());
  machine.kernel_set = kernel_set();
  say("messages over loopback");
  machine.loopback = measure_transport(cores[0], cores.size() > 1 ? cores[1] : -1);
  say("reducing and applying gradients");
  machine.apply = measure_apply(cores[0]);
  say("slices of a shared core");
  machine.slice = measure_slice(cores[0]);
  say("contention of busy cores");
  machine.contention = measure_contention(scenario_case, cores);
  say("memory of a node");
  machine.memory_base = measure_base(options);
  calibrate_model(machine, scenario_case, options);
  return machine;
}

}  // namespace foretrain::exec
