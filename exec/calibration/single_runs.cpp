#include "exec/calibration/single_runs.h"

#include "exec/calibration/cores.h"
#include "exec/calibration/steady_runs.h"
#include "exec/launch/run.h"
#include "exec/system/process.h"
#include "models/cost/job_placement.h"
#include "models/cost/work.h"
#include "models/graph/node_memory.h"
#include "models/graph/step_graph.h"
#include "models/graph/working_set.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/statistics.h"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace foretrain::exec {
namespace {

// Batch sizes of a calibration: smaller for larger models.
struct Sizes {
  int small_batch = 6;
  int checked_batch = 96;
  int large_batch = 256;
  std::int64_t test_examples = 0;
};

Sizes sizes_for(const Network& network, std::int64_t test_examples) {
  constexpr double kFlopsPerSecond = 30e9;  // of a core, approximately
  constexpr double kGradientSeconds = 0.125;
  constexpr double kEvaluationSeconds = 0.1;
  // The overhead per step must be a measurable part of a step.
  constexpr int kSmallest = 6;
  const double gradient_s = gradient_cost(network, 1).flops.value / kFlopsPerSecond;
  const double evaluate_s = evaluation_cost(network, 1).flops.value / kFlopsPerSecond;
  Sizes sizes;
  sizes.large_batch = static_cast<int>(std::clamp(kGradientSeconds / gradient_s, 4.0, 256.0));
  sizes.small_batch = std::clamp(sizes.large_batch / 8, 1, kSmallest);
  sizes.checked_batch = std::max(2, 3 * sizes.large_batch / 8);
  sizes.test_examples = std::min(
      test_examples, static_cast<std::int64_t>(std::max(4.0, kEvaluationSeconds / evaluate_s)));
  return sizes;
}

// A run that must succeed.
Record done(const Case& scenario_case, const CalibrateOptions& options) {
  RunOptions run_options;
  run_options.program = options.program;
  run_options.start = start_here({}, options.among_tasks);
  Record record = run(scenario_case, run_options);
  if (record.outcome == Outcome::done) return record;
  throw NotDone(record.outcome, "calibration: " + record.failure);
}

// Bytes that an update moves.
double applied_bytes(const Case& scenario_case, DataSets& data_sets) {
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  const Cost applied = totals(make_step_graph(*prepared.training), OperationKind::apply);
  return static_cast<double>(applied.bytes().value);
}

// Cost of updates by bytes, from gradients of two batch sizes; from the larger one if both move the
// same number of bytes.
AffineCost update_cost(const SteadyRuns& runs, const BatchPoint& small, const BatchPoint& large,
                       DataSets& data_sets) {
  const auto bytes_after = [&](const BatchPoint& point) {
    return applied_bytes(runs.alone(static_cast<int>(point.examples), 1), data_sets);
  };
  const double few = bytes_after(small);
  const double many = bytes_after(large);
  if (few == many) return {0, large.time_s / many};
  return line_through(few, small.time_s, many, large.time_s);
}

// Adds the cost of encoding and decoding a sparse model's messages.
void add_sparse(ModelCost& cost, const Prepared& prepared, const Sizes& sizes, Repeater& repeater,
                DataSets& data_sets) {
  constexpr double kFloor_s = 20e-12;
  repeater.measure(
      {{fmt::format("{}, coding", prepared.model_key), &cost.coding.per_item_s, kFloor_s, true}},
      [&] {
        cost.coding.per_item_s = measure_coding(prepared.scenario_case, sizes.checked_batch,
                                                usable_cores().front(), data_sets);
      });
}

// Waits of a worker alone in each step, in addition to its compute: cache misses, handoffs.
struct Waits {
  double gradient_s = 0;
  double apply_s = 0;
};

Waits waits_of(const std::shared_ptr<const Training>& alone, const Machine& machine,
               double gradient_s) {
  const AloneMisses misses =
      misses_alone(machine.memory, alone, Duration::from_seconds(gradient_s));
  const auto thread_s = [&](const TotalCost& job) {
    return place_of(job, false) == JobPlace::loop ? 0 : machine.thread_handoff.seconds();
  };
  const TotalCost update = totals(make_step_graph(*alone), OperationKind::apply);
  return {misses.gradient_s + thread_s(gradient_stages(*alone).front().cost),
          misses.apply_s + thread_s(update)};
}

// A measured time without the modelled cache misses and handoffs, but at least a tenth of it, since
// the model may overestimate them.
double without(double measured_s, double waits_s) {
  return std::max(measured_s / 10, measured_s - waits_s);
}

}  // namespace

AffineCost fitted(const std::vector<BatchPoint>& points) {
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixX2d shares(count, 2);  // relative to the time: 1 s of overhead, an example
  for (Eigen::Index i = 0; i < count; ++i) {
    const BatchPoint& point = points[static_cast<std::size_t>(i)];
    shares.row(i) << 1 / point.time_s, point.examples / point.time_s;
  }
  const Eigen::VectorXd whole = Eigen::VectorXd::Ones(count);
  const Eigen::Vector2d cost = shares.colPivHouseholderQr().solve(whole);
  if (cost[0] >= 0 && cost[1] > 0) return {cost[0], cost[1]};
  const auto examples = shares.col(1);
  return {0, examples.sum() / examples.squaredNorm()};
}

ModelCost measure_model(const Prepared& prepared, const Machine& machine,
                        const CalibrateOptions& options, Repeater& repeater, DataSets& data_sets) {
  const Case& scenario_case = prepared.scenario_case;
  const Network& network = *prepared.training->network;
  const Sizes sizes = sizes_for(network, prepared.training->test_examples);
  SteadyRuns runs(scenario_case, options, sizes.test_examples);
  const std::string& key = prepared.model_key;
  SteadyRun small;
  SteadyRun large;
  SteadyRun checked;
  ModelCost cost;
  const auto gradient_of = [&](int batch, SteadyRun& run) {
    return Figure{fmt::format("{}, gradient of {}", key, batch), &run.gradient_s, 0, true};
  };
  const auto apply_of = [&](int batch, SteadyRun& run) {
    return Figure{fmt::format("{}, apply of {}", key, batch), &run.apply_s, 5e-6, true};
  };
  constexpr double kAnyJitter = 1;  // it is a spread itself
  repeater.measure({gradient_of(sizes.small_batch, small),
                    gradient_of(sizes.large_batch, large),
                    gradient_of(sizes.checked_batch, checked),
                    {fmt::format("{}, evaluation", key), &cost.evaluate.per_item_s, 0, true},
                    {fmt::format("{}, jitter", key), &large.jitter, kAnyJitter},
                    apply_of(sizes.small_batch, small),
                    apply_of(sizes.large_batch, large)},
                   [&] {
                     small = runs.measure(sizes.small_batch);
                     large = runs.measure(sizes.large_batch);
                     checked = runs.measure(sizes.checked_batch);
                     cost.evaluate.per_item_s = (small.evaluate_s + large.evaluate_s) / 2;
                   });
  const auto waits_at = [&](int batch, const SteadyRun& run) {
    const Prepared alone = prepare(runs.alone(batch, 1), Need::shape, data_sets);
    return waits_of(alone.training, machine, run.gradient_s);
  };
  const Waits of_small = waits_at(sizes.small_batch, small);
  const Waits of_large = waits_at(sizes.large_batch, large);
  const Waits of_checked = waits_at(sizes.checked_batch, checked);
  const auto point = [](int batch, double measured_s, double waits_s) {
    return BatchPoint{static_cast<double>(batch), without(measured_s, waits_s)};
  };
  cost.gradient = fitted({point(sizes.small_batch, small.gradient_s, of_small.gradient_s),
                          point(sizes.checked_batch, checked.gradient_s, of_checked.gradient_s),
                          point(sizes.large_batch, large.gradient_s, of_large.gradient_s)});
  cost.gradient_jitter = large.jitter;
  (network.sparse() ? cost.sparse_apply : cost.apply) =
      update_cost(runs, point(sizes.small_batch, small.apply_s, of_small.apply_s),
                  point(sizes.large_batch, large.apply_s, of_large.apply_s), data_sets);
  cost.checked_batch = sizes.checked_batch;
  const double fit_s = cost.gradient_of(sizes.checked_batch).seconds() + of_checked.gradient_s;
  cost.residual = fit_s / checked.gradient_s - 1;
  if (network.sparse()) add_sparse(cost, prepared, sizes, repeater, data_sets);
  return cost;
}

double measure_resume(const CalibrateOptions& options) {
  constexpr int kBatch = 48;
  Case softmax;
  softmax.scenario.name = "resume";
  SteadyRuns runs(softmax, options, 100);
  const double alone_s = runs.measure(kBatch).gradient_s;
  const double served_s = runs.measure(kBatch, "sync").gradient_s;
  return std::max(0.0, served_s - alone_s);
}

Bytes measure_base(const CalibrateOptions& options) {
  Case tiny;
  tiny.scenario.name = "base";
  tiny.scenario.dataset.take = 64;
  tiny.scenario.dataset.test_take = 64;
  tiny.scenario.training.steps = 10;
  const Record record = done(tiny, options);
  const Prepared prepared = prepare(tiny, Need::shape);
  const Training& training = *prepared.training;
  Bytes base;
  for (std::size_t i = 0; i < record.nodes.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    const NodeMemory counted = node_memory(training, prepared.data_memory, id);
    base += *record.nodes[i].rss - counted.resident(true, expected_held(training, id));
  }
  return {std::max<std::int64_t>(0, base.value / std::ssize(record.nodes))};
}

}  // namespace foretrain::exec
