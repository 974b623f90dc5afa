// Judges step times by their error, or by the quartiles of the runs.
#include "reports/studies/validation/verdict.h"

#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

std::optional<ErrorRange> range_of(const std::vector<double>& errors) {
  if (errors.empty()) return std::nullopt;
  return ErrorRange{median(errors).value(), quantile(errors, 0.95).value(),
                    std::ranges::max(errors)};
}

/// Step-time errors of a strategy's cases, with the case of the largest one.
struct Errors {
  std::vector<double> values;
  std::size_t worst = 0;

  void add(double error, std::size_t place) {
    if (values.empty() || error > std::ranges::max(values)) worst = place;
    values.push_back(error);
  }
};

/// The same, with the parts of each error.
struct ErrorsApart {
  Errors whole;
  std::vector<double> protocol;
  std::vector<double> compute;

  void add(const Comparison& step, std::size_t place) {
    whole.add(std::abs(*step.error), place);
    if (!step.protocol_error) return;
    protocol.push_back(std::abs(*step.protocol_error));
    compute.push_back(std::abs(*step.compute_error()));
  }
};

StrategyVerdict judge(const Validation& validation, const std::string& strategy) {
  StrategyVerdict result{strategy, 0, 0, 0, {}, {}, {}, {}, {}};
  ErrorsApart all;
  ErrorsApart steady;
  for (std::size_t i = 0; i < validation.cases.size(); ++i) {
    const CaseValidation& c = validation.cases[i];
    if (c.strategy() != strategy) continue;
    const auto verdict = verdict_of(c);
    if (!verdict) continue;
    ++result.cases;
    result.noisy += verdict->noisy ? 1 : 0;
    result.noisy_held += verdict->noisy && verdict->held ? 1 : 0;
    const Comparison& step = *c.find("step_time_ms");
    if (!step.error) continue;
    all.add(step, i);
    if (!verdict->noisy) steady.add(step, i);
  }
  result.all = range_of(all.whole.values);
  result.steady = range_of(steady.whole.values);
  const ErrorsApart& judged = result.steady ? steady : all;
  result.protocol = range_of(judged.protocol);
  result.compute = range_of(judged.compute);
  if (result.all) result.worst = judged.whole.worst;
  return result;
}

}  // namespace

std::optional<Verdict> verdict_of(const CaseValidation& c) {
  const Comparison* step = c.find("step_time_ms");
  if (step == nullptr) return std::nullopt;
  Verdict verdict;
  verdict.noisy = step->spread.value_or(0) > kSteadySpread;
  verdict.held = verdict.noisy ? step->q1 <= step->predicted && step->predicted <= step->q3
                               : step->error && std::abs(*step->error) <= kErrorBand;
  if (!verdict.held) verdict.why = largest_gap(c);
  return verdict;
}

std::optional<PhaseGap> largest_gap(const CaseValidation& c) {
  std::optional<PhaseGap> largest;
  double difference = 0;
  for (const auto& [phase, of] : kPhases<double>) {
    if (of == &PhaseSeconds::evaluate) continue;  // step times are without it
    const Comparison* comparison = c.find(fmt::format("{}_ms", phase));
    if (comparison == nullptr) continue;
    if (largest && std::abs(comparison->difference) <= difference) continue;
    difference = std::abs(comparison->difference);
    largest = PhaseGap{phase, comparison->measured, comparison->predicted};
  }
  return largest;
}

std::string sentence(const PhaseGap& gap) {
  // Three significant digits keep the line short.
  const auto ms = [](double value) {
    return value < 99.95 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
  };
  return fmt::format("{}: measured {} ms, predicted {} ms", gap.phase, ms(gap.measured_ms),
                     ms(gap.predicted_ms));
}

std::string_view name_of(const Verdict& verdict) {
  if (verdict.noisy) {
    return verdict.held ? "noisy, inside quartiles" : "noisy, outside quartiles";
  }
  return verdict.held ? "held" : "off";
}

std::vector<StrategyVerdict> strategy_verdicts(const Validation& validation) {
  std::vector<StrategyVerdict> verdicts;
  for (const std::string& strategy : validation.strategies()) {
    verdicts.push_back(judge(validation, strategy));
  }
  return verdicts;
}

std::vector<std::string> strategies_above(const Validation& validation, double share) {
  std::vector<std::string> above;
  for (const StrategyVerdict& verdict : strategy_verdicts(validation)) {
    if (!verdict.all || verdict.all->median > share) above.push_back(verdict.strategy);
  }
  return above;
}

}  // namespace foretrain
