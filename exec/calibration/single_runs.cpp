#include "exec/calibration/single_runs.h"

#include "exec/calibration/cores.h"
#include "exec/calibration/ping_pong.h"
#include "exec/calibration/sparse_costs.h"
#include "exec/launch/run.h"
#include "exec/system/process.h"
#include "models/cost/work.h"
#include "models/graph/node_memory.h"
#include "models/graph/step_graph.h"
#include "models/protocol/registry.h"
#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace foretrain::exec {
namespace {

struct SingleRun {
  double gradient_s = 0;  // median
  double jitter = 0;      // of the logarithm
  double evaluate_s = 0;  // of one example, median
  double apply_s = 0;     // median
};

// How long the runs of a calibration are: large models get fewer steps on fewer examples.
struct Lengths {
  int small_batch = 32;
  int checked_batch = 96;
  int large_batch = 256;
  int steps = 40;
  std::int64_t test_examples = 0;
};

Lengths lengths_for(const Network& network, std::int64_t test_examples) {
  constexpr double kFlopsPerSecond = 30e9;  // of a core, about
  constexpr double kRunSeconds = 1;         // spent on one batch size in one repetition
  const double gradient_s = gradient_cost(network, 1).flops.value / kFlopsPerSecond;
  const double evaluate_s = evaluation_cost(network, 1).flops.value / kFlopsPerSecond;
  Lengths lengths;
  lengths.large_batch = static_cast<int>(std::clamp(kRunSeconds / 8 / gradient_s, 4.0, 256.0));
  lengths.small_batch = std::max(1, lengths.large_batch / 8);
  lengths.checked_batch = std::max(2, 3 * lengths.large_batch / 8);
  lengths.steps =
      static_cast<int>(std::clamp(kRunSeconds / (gradient_s * lengths.large_batch), 4.0, 40.0));
  lengths.test_examples = std::min(
      test_examples, static_cast<std::int64_t>(std::max(4.0, kRunSeconds / 10 / evaluate_s)));
  return lengths;
}

// A run that a calibration cannot do without.
Record done(const Case& scenario_case, const CalibrateOptions& options) {
  RunOptions run_options;
  run_options.program = options.program;
  Record record = run(scenario_case, run_options);
  if (record.outcome == Outcome::done) return record;
  throw std::runtime_error("calibration: " + record.failure);
}

// One worker alone on this machine, which needs no other by `strategy`.
Case single_case(const Case& scenario_case, int batch_size, const Lengths& lengths,
                 std::string_view strategy = protocol_alone().name) {
  Case single = scenario_case;
  const TrainingSpec& given = scenario_case.scenario.training;
  TrainingSpec& training = single.scenario.training;
  training = {};
  training.strategy = strategy;
  training.batch_size = batch_size;
  training.steps = lengths.steps;
  training.threads = given.threads;
  training.optimizer = given.optimizer;
  // The first evaluations touch the data first.
  training.evaluate_every = std::max(1, lengths.steps / 8);
  single.scenario.dataset.test_take = lengths.test_examples;
  single.scenario.stragglers.clear();
  single.scenario.cluster = {};
  single.scenario.transport = {};
  return single;
}

SingleRun measure_single(const Case& scenario_case, int batch_size, const Lengths& lengths,
                         const CalibrateOptions& options,
                         std::string_view strategy = protocol_alone().name) {
  const Record record = done(single_case(scenario_case, batch_size, lengths, strategy), options);
  std::vector<double> gradients;
  std::vector<double> applies;
  for (const StepRow& row : record.steps) {
    gradients.push_back(row.report.phases.compute.seconds());
    applies.push_back(row.report.phases.apply.seconds());
  }
  std::vector<double> evaluations;
  for (const EvalReport& eval : record.evals) evaluations.push_back(eval.took.seconds());
  const auto examples = static_cast<double>(lengths.test_examples);
  // Quartiles, not moments: a burst of somebody else's work is no jitter of ours. A normal
  // distribution's lie 1.349 standard deviations apart.
  const double spread = quantile(gradients, 0.75).value() / quantile(gradients, 0.25).value();
  // Above 1, which no machine file takes, it is no jitter at all.
  return {median(gradients).value(), std::min(1.0, std::log(spread) / 1.349),
          median(evaluations).value() / examples, median(applies).value()};
}

// That an update moves.
double applied_bytes(const Case& scenario_case, DataSets& data_sets) {
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  const Cost applied = totals(make_step_graph(*prepared.training), OperationKind::apply);
  return static_cast<double>(applied.bytes().value);
}

// Of updates after gradients of two batch sizes, by bytes; where both move as many, by the large
// one.
AffineCost update_cost(const Case& scenario_case, const Lengths& lengths, const BatchPoint& small,
                       const BatchPoint& large, DataSets& data_sets) {
  const auto bytes_after = [&](const BatchPoint& point) {
    return applied_bytes(single_case(scenario_case, static_cast<int>(point.examples), lengths),
                         data_sets);
  };
  const double few = bytes_after(small);
  const double many = bytes_after(large);
  if (few == many) return {0, large.time_s / many};
  return line_through(few, small.time_s, many, large.time_s);
}

// What several pushes at once add to a byte, what messages take to be made and read; and a dense
// update, as a ring makes it, of one, unless that takes too long: the machine's cost stands for it.
void add_sparse(ModelCost& cost, const Prepared& prepared, const Lengths& lengths,
                const CalibrateOptions& options, Repeater& repeater, DataSets& data_sets) {
  const Case& scenario_case = prepared.scenario_case;
  const std::string& key = prepared.model_key;
  constexpr double kFloor_s = 20e-12;
  constexpr double kMostBytes = 100e6;
  const double dense_bytes = applied_bytes(
      single_case(scenario_case, lengths.checked_batch, lengths, dense_protocol().name), data_sets);
  std::vector<Figure> figures{{fmt::format("{}, merging", key), kFloor_s, 0.5, true},
                              {fmt::format("{}, coding", key), kFloor_s, 0.5, true}};
  const bool short_enough = dense_bytes < kMostBytes;
  if (short_enough) figures.push_back({fmt::format("{}, dense apply", key), 5e-6, 0.5, true});
  const std::vector<double> results = repeater.measure(figures, [&] {
    const SparseCosts once =
        measure_sparse(scenario_case, lengths.checked_batch, usable_cores().front(), data_sets);
    std::vector<double> values{once.merging_s, once.coding_s};
    if (short_enough) {
      values.push_back(measure_single(scenario_case, lengths.checked_batch, lengths, options,
                                      dense_protocol().name)
                           .apply_s);
    }
    return values;
  });
  cost.merged = {cost.scattered.overhead_s, cost.scattered.per_item_s + results[0]};
  cost.coding = {0, results[1]};
  if (short_enough) cost.apply = {0, results[2] / dense_bytes};
}

// What a byte of messages costs that no cache holds.
void add_streaming(ModelCost& cost, const std::string& key, Bytes parameters, Repeater& repeater) {
  constexpr Bytes kCached{2'000'000};  // messages of less were measured with the machine
  if (parameters.value <= kCached.value) return;
  const std::vector<int> cores = usable_cores();
  const int other = cores.size() > 1 ? cores[1] : -1;
  const std::vector<double> results = repeater.measure(
      {{fmt::format("{}, streaming", key)}, {fmt::format("{}, crossing", key)}}, [&] {
        const Streaming once = measure_streaming(cores[0], other, parameters);
        return std::vector<double>{once.within, once.crossing};
      });
  cost.streaming = results[0];
  cost.crossing = results[1];
}

}  // namespace

ModelCost fitted(const BatchPoint& small, const BatchPoint& large) {
  ModelCost cost;
  const double growth =
      std::log(large.time_s / small.time_s) / std::log(large.examples / small.examples);
  if (growth <= 1) {
    cost.gradient = line_through(small.examples, small.time_s, large.examples, large.time_s);
  } else {
    cost.growth = growth;
    cost.gradient = {0, large.time_s / std::pow(large.examples, growth)};
  }
  return cost;
}

void add_contention(ModelCost& cost, const InCompany& small, const InCompany& large) {
  const double slope = (large.contended_s - small.contended_s) / (large.alone_s - small.alone_s);
  cost.contention = std::max(1.0, slope);
  const double rest_s = (small.contended_s - cost.contention * small.alone_s + large.contended_s -
                         cost.contention * large.alone_s) /
                        2;
  cost.contended = Duration::from_seconds(std::max(0.0, rest_s));
  if (rest_s < 0) cost.contention = std::max(1.0, large.contended_s / large.alone_s);
}

ModelCost measure_model(const Prepared& prepared, const CalibrateOptions& options,
                        Repeater& repeater, DataSets& data_sets) {
  const Case& scenario_case = prepared.scenario_case;
  const Network& network = *prepared.training->network;
  const Lengths lengths = lengths_for(network, prepared.training->test_examples);
  const std::string& key = prepared.model_key;
  const auto gradient_of = [&](int batch) {
    return Figure{.name = fmt::format("{}, gradient of {}", key, batch), .compute = true};
  };
  const auto apply_of = [&](int batch) {
    return Figure{fmt::format("{}, apply of {}", key, batch), 5e-6, 0.5, true};
  };
  const std::vector<int> cores = usable_cores();
  const auto once = [&] {
    const SingleRun small = measure_single(scenario_case, lengths.small_batch, lengths, options);
    const SingleRun large = measure_single(scenario_case, lengths.large_batch, lengths, options);
    const SingleRun third = measure_single(scenario_case, lengths.checked_batch, lengths, options);
    const Company company = measure_company(scenario_case, lengths.large_batch, cores, data_sets);
    const Company of_small = measure_company(scenario_case, lengths.small_batch, cores, data_sets);
    std::vector<double> values{small.gradient_s, large.gradient_s,
                               third.gradient_s, (small.evaluate_s + large.evaluate_s) / 2,
                               large.jitter,     small.apply_s,
                               large.apply_s,    company.cache_pollution};
    if (cores.size() > 1) {
      values.push_back(of_small.contention);
      values.push_back(company.contention);
    }
    return values;
  };
  constexpr double kAnyJitter = 1;  // it is a spread itself
  std::vector<Figure> figures{gradient_of(lengths.small_batch),
                              gradient_of(lengths.large_batch),
                              gradient_of(lengths.checked_batch),
                              {.name = fmt::format("{}, evaluation", key), .compute = true},
                              {fmt::format("{}, jitter", key), kAnyJitter},
                              apply_of(lengths.small_batch),
                              apply_of(lengths.large_batch),
                              {fmt::format("{}, cache_pollution", key)}};
  // Where neighbours' work makes one core of two for seconds, that says nothing of this machine.
  constexpr double kUndisturbed = 0.25;
  if (cores.size() > 1) {
    for (const int batch : {lengths.small_batch, lengths.large_batch}) {
      figures.push_back({fmt::format("{}, contention at {}", key, batch), 0, kUndisturbed});
    }
  }
  const std::vector<double> results = repeater.measure(figures, once);
  ModelCost cost = fitted({static_cast<double>(lengths.small_batch), results[0]},
                          {static_cast<double>(lengths.large_batch), results[1]});
  cost.evaluate = {0, results[3]};
  cost.gradient_jitter = results[4];
  const BatchPoint small{static_cast<double>(lengths.small_batch), results[5]};
  const BatchPoint large{static_cast<double>(lengths.large_batch), results[6]};
  (network.sparse() ? cost.scattered : cost.apply) =
      update_cost(scenario_case, lengths, small, large, data_sets);
  cost.checked_batch = lengths.checked_batch;
  cost.residual = cost.gradient_of(lengths.checked_batch).seconds() / results[2] - 1;
  cost.cache_pollution = results[7];
  if (cores.size() > 1) {
    add_contention(cost, {results[0], results[8] * results[0]},
                   {results[1], results[9] * results[1]});
  }
  if (network.sparse()) {
    add_sparse(cost, prepared, lengths, options, repeater, data_sets);
  } else {
    add_streaming(cost, key, {4 * network.parameters()}, repeater);
  }
  return cost;
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
    base += record.nodes[i].rss - counted.resident(true, expected_held(training, id));
  }
  return {std::max<std::int64_t>(0, base.value / std::ssize(record.nodes))};
}

}  // namespace foretrain::exec
