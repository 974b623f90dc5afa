// A validation in a dozen lines, for who reads nothing else.
#include "reports/record/text.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace foretrain {
namespace {

/// `quickstart: softmax on digits, sync, ..., and 1 case more; 5 runs, 1 simulation of each.`
std::string what_was_trained(const Validation& validation) {
  Case first = validation.cases.front().scenario_case;
  first.settings.clear();
  std::string text = case_sentence(first);
  text.pop_back();  // the full stop
  const std::size_t cases = validation.cases.size();
  if (cases > 1) text += fmt::format(", and {} case{} more", cases - 1, cases > 2 ? "s" : "");
  return fmt::format("{}; {} run{}, 1 simulation{}.", text, validation.repetitions,
                     validation.repetitions == 1 ? "" : "s", cases > 1 ? " of each" : "");
}

/// Columns of a table whose first has the names: 2 + 28 + 10 + 10 + 9 + 12 + 9 = 80.
struct BriefRow {
  std::size_t names;

  [[nodiscard]] std::string text(std::string_view name, std::string_view measured,
                                 std::string_view predicted, std::string_view error,
                                 std::string_view rate, std::string_view accuracy) const {
    return fmt::format("  {}{}{}{}{}{}\n", left(name, names), right(measured, 10),
                       right(predicted, 10), right(error, 9), right(rate, 12), right(accuracy, 9));
  }
};

std::string brief_figure(const CaseValidation& c, std::string_view metric,
                         double Comparison::*which) {
  const Comparison* found = c.find(metric);
  return found != nullptr ? figure(found->*which) : "-";
}

std::string case_lines(const Validation& validation) {
  constexpr std::size_t kNames = 28;
  std::size_t widest = 0;
  for (const CaseValidation& c : validation.cases) {
    widest = std::max(widest, columns_of(title_of(c.scenario_case)));
  }
  const BriefRow row{name_columns(widest, kNames)};
  std::string text = row.text("", "step [ms]", "forecast", "error", "examples/s", "accuracy");
  for (const CaseValidation& c : validation.cases) {
    const Comparison* step = c.find("step_time_ms");
    text +=
        row.text(title_of(c.scenario_case), brief_figure(c, "step_time_ms", &Comparison::measured),
                 brief_figure(c, "step_time_ms", &Comparison::predicted),
                 step != nullptr ? signed_percent(step->error) : "-",
                 brief_figure(c, "examples_per_s", &Comparison::measured),
                 brief_figure(c, "test_accuracy", &Comparison::measured));
  }
  return text;
}

std::string strategy_lines(const Validation& validation) {
  constexpr std::array kCellColumns{16, -8, -14, -14, -14};
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  std::string text = "errors of the step time\n";
  text += table_line(kCellColumns, {"strategy", "cases", "median", "95 %", "most"});
  for (const StrategyVerdict& v : strategy_verdicts(validation)) {
    const auto& range = v.all;
    text += table_line(kCellColumns,
                       {v.strategy, grouped(v.cases), range ? percent(range->median) : "-",
                        range ? percent(range->p95) : "-", range ? percent(range->max) : "-"});
  }
  return text;
}

/// Where others used the machine while it was calibrated.
std::string noise_told(const Validation& validation) {
  const auto& basis = validation.cases.front().simulated.basis;
  const auto noisy = std::ranges::max_element(basis, {}, &ComputeBasis::others_used);
  if (noisy == basis.end() || noisy->others_used <= 0) return {};
  return wrap(fmt::format(
      "Others used {:.0f} % of {} while it was calibrated: `foretrain calibrate` measures anew "
      "when it is idle.",
      100 * noisy->others_used, noisy->of));
}

/// Where the machine is not as it was: no forecast knows.
std::string why_off(const Validation& validation) {
  constexpr double kTold = 0.05;
  const auto drift = drift_of(validation);
  if (!drift || std::abs(drift->median - 1) <= kTold) return {};
  return wrap(fmt::format(
      "A fixed piece of compute took {:.2f} times what it took when this machine was calibrated.",
      drift->median));
}

}  // namespace

std::string validation_brief(const Validation& validation) {
  std::string text = wrap(first_sentence(validation));
  if (validation.cases.empty()) return text;
  text += wrap(what_was_trained(validation)) + "\n";
  text +=
      validation.cases.size() <= kBriefCases ? case_lines(validation) : strategy_lines(validation);
  const std::string why =
      noise_told(validation) + wrap(caveat_sentences(validation)) + why_off(validation);
  return why.empty() ? text : text + "\n" + why;
}

}  // namespace foretrain
