// The headline of a validation.
#include "reports/record/wrapped_text.h"
#include "reports/studies/validation/order.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

/// `sync -3.1 %`, or `sync -3.1 % to +2.0 % (4 cases)`; empty if the error is not known.
std::string signed_errors(const Validation& validation, std::string_view strategy) {
  std::vector<double> errors;
  for (const CaseValidation& c : validation.cases) {
    const Comparison* step = c.find("step_time_ms");
    if (c.strategy() == strategy && step != nullptr && step->error) errors.push_back(*step->error);
  }
  if (errors.empty()) return {};
  const auto [least, most] = std::ranges::minmax(errors);
  if (errors.size() == 1) return fmt::format("{} {}", strategy, signed_percent(least));
  return fmt::format("{} {} to {} ({} cases)", strategy, signed_percent(least),
                     signed_percent(most), errors.size());
}

std::string errors_clause(const Validation& validation) {
  std::vector<std::string> parts;
  const bool few = validation.cases.size() <= kDetailedCases;
  for (const StrategyVerdict& each : strategy_verdicts(validation)) {
    std::string part = few ? signed_errors(validation, each.strategy) : "";
    if (const auto& range = each.judged(); !few && range) {
      part = fmt::format("{} {:.1f} %", each.strategy, 100 * range->median);
    }
    if (!part.empty()) parts.push_back(std::move(part));
  }
  if (parts.empty()) return "Forecast: no step times to compare";
  return fmt::format("{} of the step time: {}", few ? "Forecast" : "Median error of the forecast",
                     fmt::join(parts, ", "));
}

/// `; 2 of 2 measured in its range`
std::string range_clause(const Validation& validation) {
  int known = 0;
  int inside = 0;
  for (const CaseValidation& c : validation.cases) {
    const Comparison* step = c.find("step_time_ms");
    if (step == nullptr || !step->in_range()) continue;
    ++known;
    inside += *step->in_range() ? 1 : 0;
  }
  return known == 0 ? "" : fmt::format("; {} of {} measured in its range", inside, known);
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

std::string order_clause(const Validation& validation) {
  const PairOrder order = order_of(validation).all;
  if (const auto kept = order.kept()) {
    return *kept ? "; the cases are in the right order by gradients/s"
                 : "; the cases are NOT IN THE RIGHT ORDER by gradients/s";
  }
  if (order.tied == 0) return {};
  return "; the cases differ by less than the forecast's error in gradients/s";
}

}  // namespace

std::string first_sentence(const Validation& validation) {
  return errors_clause(validation) + range_clause(validation) +
         weights(validation, &CaseValidation::weights_equal, "weights", "WEIGHTS") +
         weights(validation, &CaseValidation::replay_equal, "replays", "REPLAYS") +
         order_clause(validation) + ".";
}

}  // namespace foretrain
