#include "exec/calibration/steady_runs.h"

#include "exec/launch/run.h"
#include "models/base/check.h"
#include "models/cost/work.h"
#include "reports/record/not_done.h"
#include "reports/record/statistics.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace foretrain::exec {
namespace {

constexpr std::int64_t kFewestSteps = 16;    // steps: four per quarter
constexpr std::int64_t kMostSteps = 50'000;  // steps
constexpr std::int64_t kFirstSteps = 1'000;  // steps for a first estimate; the operations of sparse
                                             // batches do not predict their time
constexpr double kFlopsPerSecond = 30e9;     // of a core, approximately
constexpr double kDifference = 0.02;         // relative, between two steady quarters

std::int64_t steps_of(double seconds, double step_s) {
  return std::clamp(static_cast<std::int64_t>(seconds / step_s), kFewestSteps, kMostSteps);
}

std::vector<double> part(const std::vector<double>& values, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t quarter) {
    return values.begin() + static_cast<std::ptrdiff_t>(values.size() * quarter / 4);
  };
  return {at(from), at(to)};
}

// Times of a training's steps.
struct Seen {
  std::vector<double> gradients_s;
  std::vector<double> applies_s;
  std::vector<double> evaluations_s;

  explicit Seen(const Record& record) {
    const std::vector<StepRow>& steps = record.steps;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const StepReport& step = steps[i].report;
      const Phases& phases = step.phases;
      const Duration others =
          phases.push + phases.wait + phases.apply + phases.pull + phases.evaluate;
      gradients_s.push_back((steps[i + 1].report.start - step.start - others).seconds());
      applies_s.push_back(phases.apply.seconds());
    }
    for (const EvalReport& eval : record.evals) evaluations_s.push_back(eval.took.seconds());
  }

  [[nodiscard]] double total_s() const {
    double total = 0;
    for (const double each : gradients_s) total += each;
    for (const double each : applies_s) total += each;
    return total;
  }

  [[nodiscard]] SteadyRun figures(std::int64_t test_examples) const {
    const std::vector<double> gradients = part(gradients_s, 1, 4);
    SteadyRun run;
    run.gradient_s = median(gradients).value();
    run.apply_s = median(part(applies_s, 1, 4)).value();
    run.evaluate_s = median(evaluations_s).value() / static_cast<double>(test_examples);
    // Quartiles, not moments, because a burst of another program's work is not jitter. Those of a
    // normal distribution lie 1.349 standard deviations apart. Limited to 1, the maximum in a
    // machine file.
    const double spread = quantile(gradients, 0.75).value() / quantile(gradients, 0.25).value();
    run.jitter = std::min(1.0, std::log(spread) / 1.349);
    return run;
  }
};

}  // namespace

bool Quarters::steady() const {
  return std::abs(last_s - second_s) <= kDifference * std::min(second_s, last_s);
}

Quarters quarters_of(const std::vector<double>& times_s) {
  FT_CHECK_OP(times_s.size(), >=, std::size_t{4});
  return {median(part(times_s, 1, 2)).value(), median(part(times_s, 3, 4)).value()};
}

double gradient_of(const Record& alone) {
  return median(part(Seen(alone).gradients_s, 1, 4)).value();
}

Case SteadyRuns::alone(int batch_size, std::int64_t steps, std::string_view strategy) const {
  Case alone = scenario_case_;
  const TrainingSpec& given = scenario_case_.scenario.training;
  TrainingSpec& training = alone.scenario.training;
  training = {};
  training.strategy = strategy;
  training.batch_size = batch_size;
  training.steps = steps;
  training.threads = given.threads;
  training.optimizer = given.optimizer;
  // The first evaluations touch the data for the first time.
  training.evaluate_every = std::max<std::int64_t>(1, steps / 8);
  alone.scenario.dataset.test_take = test_examples_;
  alone.scenario.stragglers.clear();
  alone.scenario.faults.clear();
  alone.scenario.cluster = {};
  alone.scenario.transport = {};
  return alone;
}

SteadyRun SteadyRuns::measure(int batch_size, std::string_view strategy) {
  RunOptions run_options;
  run_options.program = options_.program;
  run_options.start = start_here({}, options_.among_tasks);
  Length& length = lengths_[{std::string(strategy), batch_size}];
  if (length.steps == 0) {
    const Prepared prepared = prepare(alone(batch_size, 1, strategy), Need::shape);
    const double flops = gradient_cost(*prepared.training->network, batch_size).flops.value;
    length.steps = std::min(kFirstSteps, steps_of(options_.shortest_s, flops / kFlopsPerSecond));
  }
  while (true) {
    const Record record = run(alone(batch_size, length.steps, strategy), run_options);
    if (record.outcome != Outcome::done) {
      throw NotDone(record.outcome, "calibration: " + record.failure);
    }
    const Seen seen(record);
    const double total_s = seen.total_s();
    const bool enough =
        total_s >= 0.8 * options_.shortest_s && quarters_of(seen.gradients_s).steady();
    length.found =
        length.found || enough || total_s >= options_.longest_s / 2 || length.steps == kMostSteps;
    if (length.found) return seen.figures(test_examples_);
    const double wanted_s = std::max(options_.shortest_s, 2 * total_s);
    length.steps = steps_of(std::min(wanted_s, options_.longest_s),
                            total_s / static_cast<double>(length.steps));
  }
}

}  // namespace foretrain::exec
