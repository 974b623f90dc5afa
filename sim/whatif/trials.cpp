#include "sim/whatif/trials.h"

#include "reports/record/caveats.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/memory_fit.h"
#include "scenarios/resolve/prepared.h"
#include "sim/world/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace foretrain::sim {
namespace {

/// `0.83`; with two targets `accuracy 0.83, loss 0.5`; empty if nothing was measured.
std::string best_found(std::span<const EvalReport> evals, const Target& target) {
  std::optional<double> accuracy;
  std::optional<double> loss;
  for (const EvalReport& each : evals) {
    if (std::isfinite(each.accuracy)) accuracy = std::max(accuracy.value_or(0), each.accuracy);
    if (std::isfinite(each.loss)) loss = std::min(loss.value_or(each.loss), each.loss);
  }
  if (target.accuracy > 0 && target.loss > 0 && accuracy && loss) {
    return fmt::format("accuracy {}, loss {}", figure(accuracy), figure(loss));
  }
  const auto& asked = target.accuracy > 0 ? accuracy : loss;
  return asked ? figure(asked) : std::string();
}

/// The key that sets the length of a training.
std::string_view length_key(const TrainingSpec& training) {
  if (training.steps > 0) return "training.steps";
  return training.updates > 0 ? "training.updates" : "training.epochs";
}

}  // namespace

Trials::Trials(const Prepared& prepared, const SimulateOptions& options, DataSets& data_sets)
    : options_(options),
      data_sets_(data_sets),
      base_(prepared.scenario_case),
      training_(prepared.training),
      examples_(planned_examples(*training_)) {
  Scenario& scenario = base_.scenario;
  const bool sparse = training_->network->input().sparse();
  scenario.numerics = scenario.numerics && (has_target() || sparse);
  folded_ = !options.emulated && Fold::of(prepared).has_value();
}

std::string Trials::why_too_long(const Prepared& changed) const {
  const Training& training = *changed.training;
  const auto buckets = static_cast<double>(training.layout->buckets.size());
  const double messages = 2 * buckets * training.workers * static_cast<double>(training.steps);
  if (!folded_ || messages <= kMostWhole || Fold::of(changed)) return {};
  return fmt::format(
      "one host no longer stands for all, and {} million messages take long to simulate",
      grouped(std::llround(messages / 1e6)));
}

std::string Trials::measure() const {
  if (!has_target()) return fmt::format("{} examples", grouped(std::llround(examples_)));
  return target_text(base_.scenario.training.until);
}

void Trials::keep_examples(Scenario& changed) const {
  foretrain::keep_examples(changed, base_.scenario, examples_);
}

Machine Trials::machine(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = machines_.find(name);
  if (found != machines_.end()) return found->second;
  return machines_.emplace(name, options_.machines(name)).first->second;
}

Case Trials::checked(Case changed) {
  Reading unheeded({});  // unused keys concern the file alone
  check_case(changed, unheeded);
  return changed;
}

Prepared Trials::prepared(const Case& scenario_case) const {
  const Case whole = checked(scenario_case);
  return prepare(whole, need_of_simulation(whole.scenario), data_sets_);
}

Record Trials::simulate(const Case& scenario_case, const Variant& variant, int cores) const {
  return simulate(prepared(scenario_case), variant, cores);
}

Record Trials::simulate(const Prepared& prepared, const Variant& variant, int cores) const {
  SimulateOptions options;
  options.machines = [this](const std::string& name) { return machine(name); };
  options.emulated = options_.emulated;
  options.interrupted = options_.interrupted;
  options.cores = cores;
  options.usage_interval = {};
  options.summary_only = true;
  options.variant = variant;
  Record record = sim::simulate(prepared, options);
  if (record.outcome == Outcome::interrupted) throw NotDone(record.outcome, record.failure);
  return record;
}

std::optional<double> Trials::time_of(const Record& record) const {
  const Scenario& scenario = record.scenario_case.scenario;
  if (has_target()) return interpolated_time_to_target_s(record, EvaluationTime::left_out);
  const double done = static_cast<double>(record.gradients) *
                      static_cast<double>(scenario.training.examples_a_gradient());
  if (done == 0) return std::nullopt;
  return record.time.seconds() * (examples_ / done);
}

std::string Trials::no_time_of(const Record& record) const {
  if (!has_target() || time_of(record)) return {};
  const TrainingSpec& training = base_.scenario.training;
  const Target& target = training.until;
  const auto reaches = [&](const EvalReport& e) { return target.reached(e.loss, e.accuracy); };
  if (std::ranges::any_of(record.evals, reaches)) {
    return fmt::format(
        "{} is reached, but only the final evaluation shows it, long after the one before; write a "
        "smaller training.evaluate_every, or leave the target out",
        measure());
  }
  const std::string best = best_found(record.evals, target);
  return fmt::format("{} is not reached in {} steps{}; raise {}, or leave the target out",
                     measure(), grouped(training_->steps),
                     best.empty() ? "" : fmt::format(" (best: {})", best), length_key(training));
}

Trial Trials::tried(const Case& scenario_case, const TimeFactors& time_factors) const {
  try {
    const Prepared prepared = this->prepared(scenario_case);
    if (std::string why = does_not_fit(prepared); !why.empty()) return {std::nullopt, why, 0};
    if (std::string why = why_too_long(prepared); !why.empty()) return {std::nullopt, why, 0};
    const double price = price_per_hour(prepared).per_hour;
    const Record record = simulate(prepared, {time_factors, nullptr}, 1);
    if (record.outcome != Outcome::done) return {std::nullopt, record.failure, price};
    return {time_of(record), {}, price, mean_staleness(record), uneven_share(record)};
  } catch (const InputError& error) {
    return {std::nullopt, error.what(), 0};
  }
}

CriticalPath Trials::path_of(Case scenario_case, std::int64_t steps) const {
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = false;
  scenario.training.until = {};
  scenario.training.epochs = 0;
  scenario.training.updates = 0;
  scenario.training.tokens = 0;
  scenario.training.steps = steps;
  History history;
  const Record record = simulate(scenario_case, {{}, &history});
  if (record.outcome != Outcome::done) throw NotDone(record.outcome, record.failure);
  return critical_path(history, Instant{} + record.time);
}

}  // namespace foretrain::sim
