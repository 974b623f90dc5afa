// What a validation says in words.
#include "reports/record/caveats.h"
#include "reports/record/source.h"
#include "reports/record/text.h"
#include "reports/studies/validation/order.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

/// `sync -3.1 %`, or `sync -3.1 % to +2.0 % (4 cases)`.
std::string signed_errors(const Validation& validation, std::string_view strategy) {
  std::vector<double> errors;
  for (const CaseValidation& c : validation.cases) {
    const Comparison* step = c.find("step_time_ms");
    if (c.strategy() != strategy || step == nullptr || !step->error) continue;
    errors.push_back(*step->error);
  }
  if (errors.empty()) return {};
  const auto [least, most] = std::ranges::minmax(errors);
  if (errors.size() == 1) return fmt::format("{} {}", strategy, signed_percent(least));
  return fmt::format("{} {} to {} ({} cases)", strategy, signed_percent(least),
                     signed_percent(most), errors.size());
}

std::string errors_of_few(const Validation& validation) {
  std::vector<std::string> parts;
  for (const std::string& strategy : validation.strategies()) {
    std::string part = signed_errors(validation, strategy);
    if (!part.empty()) parts.push_back(std::move(part));
  }
  if (parts.empty()) return "Forecast: no step times to compare";
  return fmt::format("Forecast of the step time: {}", fmt::join(parts, ", "));
}

std::string errors_of_many(const Validation& validation) {
  int cases = 0;
  int held = 0;
  for (const CaseValidation& c : validation.cases) {
    const auto verdict = verdict_of(c);
    cases += verdict ? 1 : 0;
    held += verdict && verdict->held ? 1 : 0;
  }
  std::vector<std::string> parts;
  for (const StrategyVerdict& strategy : strategy_verdicts(validation)) {
    const auto& range = strategy.judged();
    if (range) parts.push_back(fmt::format("{} {}", strategy.strategy, percent(range->median)));
  }
  if (parts.empty()) return "Forecast: no step times to compare";
  return fmt::format("Forecast of the step time: {} of {} cases held, median error {}", held, cases,
                     fmt::join(parts, ", "));
}

/// `; weights of sync, single equal bit for bit`
std::string weights(const Validation& validation, std::optional<bool> CaseValidation::*answer,
                    std::string_view what, std::string_view what_differs) {
  std::vector<std::string> same;
  std::vector<std::string> other;
  for (const std::string& strategy : validation.strategies()) {
    std::optional<bool> equal;
    for (const CaseValidation& c : validation.cases) {
      if (c.strategy() != strategy || !(c.*answer)) continue;
      equal = equal.value_or(true) && *(c.*answer);
    }
    if (equal) (*equal ? same : other).push_back(strategy);
  }
  std::string text;
  if (!same.empty()) {
    text += fmt::format("; {} of {} equal bit for bit", what, fmt::join(same, ", "));
  }
  if (!other.empty())
    text += fmt::format("; {} OF {} DIFFER", what_differs, fmt::join(other, ", "));
  return text;
}

}  // namespace

std::string first_sentence(const Validation& validation) {
  std::string text = validation.cases.size() <= kDetailedCases ? errors_of_few(validation)
                                                               : errors_of_many(validation);
  text += weights(validation, &CaseValidation::weights_equal, "weights", "WEIGHTS");
  text += weights(validation, &CaseValidation::replay_equal, "replays", "REPLAYS");
  text += ".";
  const PairOrder order = order_of(validation).all;
  if (const auto kept = order.kept()) {
    text += *kept ? " The order of the cases by gradients/s is kept."
                  : " The ORDER of the cases by gradients/s is NOT KEPT.";
  } else if (order.tied > 0) {
    text += " By gradients/s the forecast calls the cases a tie.";
  }
  return text;
}

std::string caveat_sentences(const Validation& validation) {
  std::vector<TitledCaveat> uneven;
  for (const CaseValidation& each : validation.cases) {
    const std::string share = uneven_share(each.run);
    if (!share.empty()) uneven.push_back({title_of(each.scenario_case), share});
  }
  const auto used = [](const CaseValidation& each) { return each.run.others_used; };
  const auto most = std::ranges::max_element(validation.cases, {}, used);
  if (most == validation.cases.end()) return {};
  const std::string text = others_sentence(most->run) + caveats_of(uneven);
  return text.starts_with(' ') ? text.substr(1) : text;
}

}  // namespace foretrain
