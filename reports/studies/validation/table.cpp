// A validation as people read it: each part a function from the validation to its lines.
#include "reports/record/text.h"
#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/order.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

std::string percent_cell(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// The settings beside the strategy.
std::vector<Setting> other_settings(const Case& scenario_case) {
  std::vector<Setting> settings = scenario_case.settings;
  std::erase_if(settings, [](const Setting& s) { return s.key == "training.strategy"; });
  return settings;
}

bool same_keys(const Validation& validation) {
  if (validation.cases.empty()) return false;
  const auto first = other_settings(validation.cases.front().scenario_case);
  return std::ranges::all_of(validation.cases, [&](const CaseValidation& c) {
    return std::ranges::equal(other_settings(c.scenario_case), first, {}, &Setting::key,
                              &Setting::key);
  });
}

constexpr std::array kStrategyColumns{13, -7, -7, -9, -9, -9, 24};

std::string strategies(const Validation& validation) {
  const auto verdicts = strategy_verdicts(validation);
  if (std::ranges::none_of(verdicts, [](const auto& v) { return v.cases > 0; })) return {};
  const bool noisy = std::ranges::any_of(verdicts, [](const auto& v) { return v.noisy > 0; });
  std::string text =
      noisy ? "step time; errors without noisy cases, where others are\n" : "step time\n";
  text += table_line(kStrategyColumns,
                     {"strategy", "cases", "noisy", "median", "95 %", "most", "  worst case"});
  for (const StrategyVerdict& v : verdicts) {
    const auto& range = v.judged();
    const auto of = [&](double ErrorRange::*figure) {
      return range ? percent_cell((*range).*figure) : std::string("-");
    };
    const std::string worst =
        v.worst ? "  " + short_title(validation.cases[*v.worst], validation) : "";
    text += table_line(kStrategyColumns, {v.strategy, fmt::format("{}", v.cases),
                                          fmt::format("{}", v.noisy), of(&ErrorRange::median),
                                          of(&ErrorRange::p95), of(&ErrorRange::max), worst});
  }
  return text;
}

/// The rows of strategies of which there is such a figure.
std::string rows_of(const Validation& validation,
                    std::optional<ErrorRange> StrategyVerdict::*range) {
  std::string text =
      table_line(kStrategyColumns, {"strategy", "", "", "median", "95 %", "most", ""});
  for (const StrategyVerdict& v : strategy_verdicts(validation)) {
    const std::optional<ErrorRange>& errors = v.*range;
    if (!errors) continue;
    text +=
        table_line(kStrategyColumns, {v.strategy, "", "", percent_cell(errors->median),
                                      percent_cell(errors->p95), percent_cell(errors->max), ""});
  }
  return text;
}

/// How far the machine itself was off, and what is left without that.
std::string drift(const Validation& validation) {
  const auto range = drift_of(validation);
  if (!range) return {};
  return wrap(fmt::format(
             "A fixed piece of compute took {:.2f} times what it took when the machine was "
             "calibrated ({:.2f} to {:.2f}, over the cases). With that drift taken out:",
             range->median, range->least, range->most)) +
         rows_of(validation, &StrategyVerdict::undrifted);
}

/// How far apart the cores were, and the errors of runs that had them as calibration had.
std::string distances(const Validation& validation) {
  const auto shares = distance_shares(validation);
  if (!shares) return {};
  std::string text = fmt::format("Cores were near in {:.0f} % of the trainings, far in {:.0f} %",
                                 100 * shares->near, 100 * shares->far);
  if (shares->mixed > 0) text += fmt::format(", in {:.0f} % they changed", 100 * shares->mixed);
  if (shares->calibrated.empty()) return wrap(text + ".");
  text += fmt::format("; loopback was calibrated {}", shares->calibrated);
  const auto verdicts = strategy_verdicts(validation);
  const auto alike = [](const StrategyVerdict& v) { return v.alike.has_value(); };
  if (std::ranges::none_of(verdicts, alike)) return wrap(text + ".");
  return wrap(text + ". Of the trainings that had them so:") +
         rows_of(validation, &StrategyVerdict::alike);
}

constexpr std::array kApartColumns{13, -10, -10, -10, -10, -10, -10};

/// Which half of the errors is whose.
std::string errors_apart(const Validation& validation) {
  std::string rows;
  for (const StrategyVerdict& v : strategy_verdicts(validation)) {
    if (!v.protocol || !v.compute) continue;
    rows += table_line(kApartColumns,
                       {v.strategy, percent_cell(v.protocol->median), percent_cell(v.protocol->p95),
                        percent_cell(v.protocol->max), percent_cell(v.compute->median),
                        percent_cell(v.compute->p95), percent_cell(v.compute->max)});
  }
  if (rows.empty()) return {};
  return wrap(
             "With the compute times that each run recorded itself, what is left is the error of "
             "protocol, transport and network; the difference is that of compute:") +
         table_line(kApartColumns, {"", "protocol", "", "", "compute", "", ""}) +
         table_line(kApartColumns,
                    {"strategy", "median", "95 %", "most", "median", "95 %", "most"}) +
         rows;
}

std::string figure_with_unit(double value, const std::string& unit) {
  return unit.empty() ? "" : fmt::format("{:.1f} {}", value, unit);
}

constexpr std::array kGoalColumns{40, -12, -12, -12};

/// What `text` says, in one line below a row.
std::string note(std::string_view text) {
  std::string line = fmt::format("      {}", text);
  if (columns_of(line) > kTerminalColumns) line = left(line, kTerminalColumns);
  return line + "\n";
}

std::string goals(const Validation& validation) {
  std::string text = table_line(kGoalColumns, {"goal", "at most", "measured", "met"});
  for (const Goal& goal : goals_of(validation)) {
    const bool numbered = !goal.unit.empty();
    const std::string worst = goal.worst ? figure_with_unit(*goal.worst, goal.unit)
                              : numbered ? "far off"
                                         : "";
    text += table_line(kGoalColumns, {goal.name, figure_with_unit(goal.limit, goal.unit), worst,
                                      fmt::format("{} of {}", goal.met, goal.of)});
    if (!goal.is_met()) text += note("worst: " + goal.worst_name);
  }
  return text;
}

std::string order(const Validation& validation) {
  const Order order = order_of(validation);
  if (order.pairs == 0) return {};
  if (order.all.ordered == 0) {
    return "order by gradients/s: ties alone, the runs tell no two cases apart\n";
  }
  const std::string tau = order.tau ? fmt::format("Kendall's tau {:.3f}; ", *order.tau) : "";
  const std::string tied =
      order.all.tied > 0 ? fmt::format(", {} tied by the forecast", order.all.tied) : "";
  std::string text = wrap(fmt::format("order by gradients/s: {}{} of {} pairs inverted{}", tau,
                                      order.all.inverted.size(), order.all.ordered, tied));
  // The worst first; validation.json has them all.
  constexpr std::size_t kMostPairs = 10;
  for (std::size_t k = 0; k < std::min(kMostPairs, order.all.inverted.size()); ++k) {
    const Inversion& pair = order.all.inverted[k];
    const auto name = [&](std::size_t i) { return title_of(validation.cases[i].scenario_case); };
    text += note(fmt::format("{:.2f} of which {:.2f} was forecast: {} over {}", pair.measured,
                             pair.predicted, name(pair.faster), name(pair.slower)));
  }
  if (order.all.inverted.size() > kMostPairs) {
    text += note(
        fmt::format("and {} more, in validation.json", order.all.inverted.size() - kMostPairs));
  }
  return text;
}

constexpr std::array kCaseColumns{36, -10, -10, -10, -10};

std::string spread_text(std::optional<double> spread) {
  return spread ? fmt::format("± {:.1f} %", *spread * 100) : "-";
}

std::string seeds(const Validation& validation) {
  std::string text;
  for (const SeedGroup& group : seed_groups(validation)) {
    for (const char* metric : {"time_to_target_s", "step_time_ms"}) {
      const auto found = std::ranges::find(group.comparisons, metric, &Comparison::metric);
      if (found == group.comparisons.end()) continue;
      const char* what = found->metric == "step_time_ms" ? "step [ms]" : "to target [s]";
      const std::string title =
          fmt::format("{} {}, {} seeds", what, title_of(group.scenario_case), group.members.size());
      text += table_line(kCaseColumns, {title, figure(found->measured), spread_text(found->spread),
                                        figure(found->predicted), signed_percent(found->error)});
    }
  }
  if (text.empty()) return {};
  return table_line(kCaseColumns,
                    {"medians over seeds", "measured", "spread", "predicted", "error"}) +
         text;
}

/// What there is to say of a case beside its figures.
std::string remarks(const CaseValidation& c) {
  std::string text;
  const auto verdict = verdict_of(c);
  if (verdict && (verdict->noisy || !verdict->held)) {
    const std::string why = verdict->why ? "; " + sentence(*verdict->why) : "";
    text += note(std::string(name_of(*verdict)) + why);
    const Comparison& step = *c.find("step_time_ms");
    if (step.protocol_error) {
      text += note(fmt::format("of {}: protocol {}, compute {}", signed_percent(step.error),
                               signed_percent(step.protocol_error),
                               signed_percent(step.compute_error())));
    }
  }
  const Comparison* step = c.find("step_time_ms");
  if (step != nullptr && step->in_range()) {
    text += note(fmt::format("this machine wanders: predicted {} to {}, measured {}",
                             figure(step->predicted_low), figure(step->predicted_high),
                             *step->in_range() ? "within" : "outside"));
  }
  if (const auto shares = distance_shares(c)) text += note("cores " + in_words(*shares));
  if (!c.weights_equal.value_or(true)) text += note("WEIGHTS DIFFER");
  if (!c.replay_equal.value_or(true))
    text += note(fmt::format("WEIGHTS OF THE REPLAY DIFFER {}", c.replay_failure));
  const bool all_reached = c.find("time_to_target_s") != nullptr;
  if (!all_reached && c.scenario_case.scenario.training.until.wanted()) {
    text += note(fmt::format("target reached in {} runs, {} in the simulation", c.reached,
                             c.reach_predicted ? "reached" : "not reached"));
  }
  return text;
}

std::string all_cases(const Validation& validation) {
  std::string header = "strategy";
  if (same_keys(validation)) {
    for (const Setting& s : other_settings(validation.cases.front().scenario_case)) {
      header += " " + last_part(s.key);
    }
  }
  std::string text = "step time [ms]\n";
  text += table_line(kCaseColumns, {header, "measured", "spread", "predicted", "error"});
  for (const CaseValidation& c : validation.cases) {
    if (const Comparison* step = c.find("step_time_ms")) {
      text += table_line(kCaseColumns, {short_title(c, validation), figure(step->measured),
                                        spread_text(step->spread), figure(step->predicted),
                                        signed_percent(step->error)});
    } else {
      text += table_line(kCaseColumns, {short_title(c, validation), "-", "-", "-", "-"});
    }
    text += remarks(c);
  }
  return text;
}

}  // namespace

std::string short_title(const CaseValidation& c, const Validation& validation) {
  if (!same_keys(validation)) return title_of(c.scenario_case);
  std::string title = c.strategy();
  for (const Setting& setting : other_settings(c.scenario_case)) title += " " + setting.value;
  return title;
}

std::string to_table(const Validation& validation) {
  std::string text = wrap(first_sentence(validation));
  for (const std::string& part :
       {strategies(validation), wrap(caveat_sentences(validation)), drift(validation),
        distances(validation), errors_apart(validation), goals(validation), order(validation),
        seeds(validation), all_cases(validation)}) {
    if (!part.empty()) text += "\n" + part;
  }
  if (validation.cases.size() > kDetailedCases) return text;
  for (const CaseValidation& c : validation.cases) {
    text += "\n" + case_table(c, validation.repetitions);
  }
  return text;
}

}  // namespace foretrain
