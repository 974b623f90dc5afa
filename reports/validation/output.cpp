// A comparison as people read it, then as programs do.
#include "reports/record/summary.h"
#include "reports/terminal/text.h"
#include "reports/validation/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string_view metric;
  std::string_view title;
  bool difference = false;  ///< the error is told as a difference, not as a ratio
};

/// The first rows are what people decide by; the phases say where a difference comes from.
constexpr auto kRows = std::to_array<Row>({
    {"step_time_ms", "step time [ms]"},
    {"time_s", "time [s]"},
    {"updates_per_s", "updates/s"},
    {"gradients_per_s", "gradients/s"},
    {"staleness_mean", "staleness [updates]", true},
    {"test_accuracy", "test accuracy", true},
    {"final_loss", "final loss [nats]"},
    {"bytes_sent", "bytes sent"},
    {"compute_ms", "  compute [ms/step]"},
    {"push_ms", "  push"},
    {"wait_ms", "  wait"},
    {"apply_ms", "  apply"},
    {"pull_ms", "  pull"},
    {"evaluate_ms", "  evaluate"},
});

/// 2 + 24 + 4 x 13 = 78 columns.
std::string table_row(std::string_view title, std::string_view measured, std::string_view spread,
                      std::string_view predicted, std::string_view error) {
  return fmt::format("  {}{}{}{}{}\n", left(title, 24), right(measured, 13), right(spread, 13),
                     right(predicted, 13), right(error, 13));
}

std::string spread_text(std::optional<double> spread) {
  return spread ? fmt::format("± {:.1f} %", *spread * 100) : "-";
}

std::string error_text(const Comparison& c, bool difference) {
  if (!difference) return signed_percent(c.error);
  return fmt::format("{:+.4f}", std::abs(c.difference) < 5e-5 ? 0.0 : c.difference);
}

std::string repeated(int repetitions) {
  return repetitions == 1 ? "1 run" : fmt::format("{} runs", repetitions);
}

std::string weights_text(std::optional<bool> equal) {
  if (!equal) return "";
  return *equal ? "; weights equal bit for bit" : "; WEIGHTS DIFFER";
}

std::string case_table(const CaseValidation& c, int repetitions) {
  std::string text = wrap(fmt::format("{}: {}, 1 simulation{}", title_of(c.scenario_case),
                                      repeated(repetitions), weights_text(c.weights_equal)));
  text += table_row("", "measured", "spread", "predicted", "error");
  for (const Row& row : kRows) {
    const Comparison* comparison = c.find(row.metric);
    if (comparison == nullptr) continue;
    text += table_row(row.title, figure(comparison->measured), spread_text(comparison->spread),
                      figure(comparison->predicted), error_text(*comparison, row.difference));
  }
  return text;
}

/// `sync -3.1 %`, or `sync -3.1 % to +2.0 % (4 cases)`.
std::string step_errors(const Validation& validation, std::string_view strategy) {
  std::vector<double> errors;
  for (const CaseValidation& c : validation.cases) {
    const Comparison* comparison = c.find("step_time_ms");
    if (c.scenario_case.scenario.training.strategy != strategy) continue;
    if (comparison != nullptr && comparison->error) errors.push_back(*comparison->error);
  }
  if (errors.empty()) return {};
  const auto [least, most] = std::ranges::minmax(errors);
  if (errors.size() == 1) return fmt::format("{} {}", strategy, signed_percent(least));
  return fmt::format("{} {} to {} ({} cases)", strategy, signed_percent(least),
                     signed_percent(most), errors.size());
}

/// In the order in which the cases name them.
std::vector<std::string> strategies_of(const Validation& validation) {
  std::vector<std::string> strategies;
  for (const CaseValidation& c : validation.cases) {
    const std::string& name = c.scenario_case.scenario.training.strategy;
    if (std::ranges::find(strategies, name) == strategies.end()) strategies.push_back(name);
  }
  return strategies;
}

std::string weights_sentence(const Validation& validation) {
  std::vector<std::string> same;
  std::vector<std::string> other;
  for (const std::string& strategy : strategies_of(validation)) {
    std::optional<bool> equal;
    for (const CaseValidation& c : validation.cases) {
      if (c.scenario_case.scenario.training.strategy != strategy || !c.weights_equal) continue;
      equal = equal.value_or(true) && *c.weights_equal;
    }
    if (equal) (*equal ? same : other).push_back(strategy);
  }
  std::string text;
  if (!same.empty()) {
    text += fmt::format("; weights of {} equal bit for bit", fmt::join(same, ", "));
  }
  if (!other.empty()) text += fmt::format("; WEIGHTS OF {} DIFFER", fmt::join(other, ", "));
  return text;
}

std::string first_sentence(const Validation& validation) {
  std::vector<std::string> parts;
  for (const std::string& strategy : strategies_of(validation)) {
    if (std::string part = step_errors(validation, strategy); !part.empty()) parts.push_back(part);
  }
  std::string text = parts.empty()
                         ? "Forecast: no step times to compare"
                         : fmt::format("Forecast of the step time: {}", fmt::join(parts, ", "));
  text += weights_sentence(validation) + ".";
  if (const auto kept = validation.order_kept()) {
    text += *kept ? " The order of the cases by gradients/s is kept."
                  : " The ORDER of the cases by gradients/s is NOT KEPT.";
  }
  return text;
}

template <class T>
Json or_null(std::optional<T> value) {
  return value ? Json(*value) : Json();
}

}  // namespace

std::string to_table(const Validation& validation) {
  std::string text = wrap(first_sentence(validation));
  for (const CaseValidation& c : validation.cases) {
    text += "\n" + case_table(c, validation.repetitions);
  }
  return text;
}

Json to_json(const Validation& validation) {
  Json json;
  json["repetitions"] = validation.repetitions;
  json["cases"] = Json::array();
  for (const CaseValidation& c : validation.cases) {
    for (const Comparison& comparison : c.comparisons) {
      json["cases"].push_back({{"settings", to_json(c.scenario_case.settings)},
                               {"strategy", c.scenario_case.scenario.training.strategy},
                               {"metric", comparison.metric},
                               {"measured", comparison.measured},
                               {"spread", or_null(comparison.spread)},
                               {"predicted", comparison.predicted},
                               {"error", or_null(comparison.error)},
                               {"difference", comparison.difference}});
    }
  }
  json["strategies"] = Json::object();
  for (const auto& [key, metric] :
       {std::pair{"time_error", "time_s"}, std::pair{"step_time_error", "step_time_ms"}}) {
    for (const auto& [strategy, range] : validation.errors(metric)) {
      Json& entry = json["strategies"][strategy];
      entry[fmt::format("{}_median", key)] = range.median;
      entry[fmt::format("{}_p95", key)] = range.p95;
      entry[fmt::format("{}_max", key)] = range.max;
    }
  }
  json["weights_equal"] = or_null(validation.weights_equal());
  json["order_kept"] = or_null(validation.order_kept());
  return json;
}

}  // namespace foretrain
