// What a page shows of a validation.
#include "reports/record/text.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/sections.h"
#include "reports/studies/validation/like_with_like.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Tone = Cell::Tone;

constexpr std::size_t kUnfoldedRows = 10;  // of pairs in the wrong order

std::string text_or_dash(const JsonObject& object, const char* key) {
  return object.has(key) ? object.text(key) : "-";
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

std::string signed_percent_of(std::optional<double> share) {
  return share ? fmt::format("{:+.1f}", *share * 100) : "-";
}

/// Signed, with its tone: within the band or not.
Cell error_cell(std::optional<double> share) {
  const bool far = share && std::abs(*share) > kErrorBand;
  return {signed_percent_of(share), far ? Tone::bad : Tone::plain};
}

Table goals_of(const JsonObject& validation) {
  Table table{
      "Goals",
      {},
      {{"goal"}, {"at most", true}, {"measured", true}, {"met", true}, {"worst", false, true}},
      {}};
  for (const JsonObject& goal : validation.objects("goals")) {
    const std::string unit = goal.has("unit") ? " " + goal.text("unit") : "";
    const auto with_unit = [&](const char* key) {
      const auto value = goal.known_number(key);
      return value ? fmt::format("{:.1f}{}", *value, unit) : "-";
    };
    const bool met = goal.flag("is_met");
    table.rows.push_back({{goal.text("goal")},
                          {with_unit("limit")},
                          {with_unit("measured")},
                          {fmt::format("{} of {}", goal.integer("met"), goal.integer("of")),
                           met ? Tone::good : Tone::bad},
                          {met ? "" : text_or_dash(goal, "worst")}});
  }
  return table;
}

Table strategies_of(const JsonObject& validation) {
  Table table{
      "Error of the step time by strategy",
      "of the cases that are not noisy; protocol: with the compute times that the runs "
      "recorded themselves; compute: what that changes; cores alike: of the trainings whose "
      "cores were as far apart as calibration's",
      {{"strategy"},
       {"cases", true},
       {"noisy", true},
       {"median [%]", true},
       {"95th percentile [%]", true},
       {"most [%]", true},
       {"protocol: median [%]", true},
       {"protocol: 95th percentile [%]", true},
       {"compute: median [%]", true},
       {"compute: 95th percentile [%]", true},
       {"cores alike: median [%]", true},
       {"cores alike: 95th percentile [%]", true},
       {"worst case", false, true}},
      {}};
  const JsonObject strategies = validation.object("strategies");
  for (const std::string& strategy : strategies.keys()) {
    const JsonObject entry = strategies.object(strategy.c_str());
    const JsonObject judged = entry.has("steady") ? entry.object("steady") : entry;
    const auto share = [&](const char* key) { return judged.known_number(key); };
    const auto apart = [&](const char* part, const char* key) {
      return entry.has(part) ? entry.object(part).known_number(key) : std::nullopt;
    };
    const auto count = [&](const char* key) {
      return fmt::format("{}", entry.has(key) ? entry.integer(key) : 0);
    };
    table.rows.push_back({{strategy},
                          {count("cases")},
                          {count("noisy")},
                          {percent(share("step_time_error_median"))},
                          {percent(share("step_time_error_p95"))},
                          {percent(share("step_time_error_max"))},
                          {percent(apart("protocol", "step_time_error_median"))},
                          {percent(apart("protocol", "step_time_error_p95"))},
                          {percent(apart("compute", "step_time_error_median"))},
                          {percent(apart("compute", "step_time_error_p95"))},
                          {percent(apart("alike", "step_time_error_median"))},
                          {percent(apart("alike", "step_time_error_p95"))},
                          {text_or_dash(entry, "worst_case")}});
  }
  return table;
}

/// How far apart the cores were, as a virtual machine gave them.
Table distances_of(const JsonObject& validation) {
  Table table{"How far apart the cores were",
              "",
              {{"cores"}, {"of the trainings [%]", true}, {"calibrated so", true}},
              {}};
  if (!validation.has("core_distances")) return table;
  const JsonObject shares = validation.object("core_distances");
  const std::string calibrated = shares.known_text("calibrated");
  for (const char* distance : {"near", "far", "mixed"}) {
    table.rows.push_back({{distance},
                          {percent(shares.known_number(distance))},
                          {calibrated == distance ? "yes" : ""}});
  }
  return table;
}

/// What a machine that wanders makes of a forecast; empty: it does not.
std::string range_of(const ForecastCase& each) {
  if (!each.predicted_low || !each.predicted_high) return "";
  if (*each.predicted_low >= *each.predicted_high) return "";
  return fmt::format("{} to {}", figure(*each.predicted_low), figure(*each.predicted_high));
}

Cell in_range_cell(const ForecastCase& each) {
  if (!each.in_range) return {""};
  return *each.in_range ? Cell{"within", Tone::good} : Cell{"outside", Tone::bad};
}

/// The shares of the runs; of older validations what they had together.
std::string distances_in(const JsonObject& verdict) {
  if (!verdict.has("core_distances")) return verdict.known_text("core_distance");
  const JsonObject shares = verdict.object("core_distances");
  const auto share = [&](const char* distance) {
    return shares.known_number(distance).value_or(0);
  };
  return in_words({share("near"), share("far"), share("mixed"), ""});
}

/// A row a case: its step time, its verdict.
Table cases_of(const JsonObject& validation) {
  Table table{
      "Step time of each case",
      "noisy: the runs themselves spread by more than 5 %; held: the forecast is within 5 "
      "% of the runs' median, of a noisy case between their quartiles; range: at the "
      "fastest and the slowest that calibration met this machine; cores: how far apart they "
      "were, in shares of the runs",
      {{"case", false, true},
       {"measured [ms]", true},
       {"spread [%]", true},
       {"predicted [ms]", true},
       {"range [ms]", true},
       {"measured in range"},
       {"error [%]", true},
       {"protocol [%]", true},
       {"compute [%]", true},
       {"cores"},
       {"verdict"},
       {"differs most", false, true}},
      {}};
  const std::vector<JsonObject> verdicts = validation.objects("verdicts");
  std::size_t place = 0;
  for (const ForecastCase& each : forecast_cases(validation)) {
    while (place < verdicts.size() && verdicts[place].at("settings") != each.settings) ++place;
    if (place == verdicts.size()) break;
    const JsonObject& verdict = verdicts[place];
    const bool held = verdict.has("held") && verdict.flag("held");
    Cell error = error_cell(each.predicted / each.measured - 1);
    error.tone = held ? Tone::plain : Tone::bad;
    table.rows.push_back({{each.title},
                          {figure(each.measured)},
                          {percent(each.spread)},
                          {figure(each.predicted)},
                          {range_of(each)},
                          in_range_cell(each),
                          std::move(error),
                          {signed_percent_of(each.protocol_error)},
                          {signed_percent_of(each.compute_error)},
                          {distances_in(verdict)},
                          {text_or_dash(verdict, "verdict"), held ? Tone::good : Tone::bad},
                          {verdict.has("why") ? verdict.object("why").text("sentence") : ""}});
  }
  return table;
}

/// Every metric of every case.
Table validated_metrics(const JsonObject& validation) {
  Table table{"Every metric",
              {},
              {{"case", false, true},
               {"metric"},
               {"node"},
               {"measured", true},
               {"spread [%]", true},
               {"predicted", true},
               {"error [%]", true}},
              {},
              true};
  for (const JsonObject& row : validation.objects("cases")) {
    Cell error = error_cell(row.known_number("error"));
    error.tone = Tone::plain;
    table.rows.push_back({{case_title(row)},
                          {row.text("metric")},
                          {row.known_text("node")},
                          {figure(row.known_number("measured"))},
                          {percent(row.known_number("spread"))},
                          {figure(row.known_number("predicted"))},
                          std::move(error)});
  }
  return table;
}

Table inversions_of(const JsonObject& validation) {
  Table table{"Cases that the forecast puts in the wrong order, by gradients/s",
              {},
              {{"faster", false, true},
               {"slower", false, true},
               {"measured ratio", true},
               {"predicted ratio", true}},
              {}};
  for (const JsonObject& pair : validation.object("order").object("all").objects("inverted")) {
    table.rows.push_back({{pair.text("faster")},
                          {pair.text("slower")},
                          {figure(pair.known_number("measured_ratio"))},
                          {figure(pair.known_number("predicted_ratio"))}});
  }
  return table;
}

}  // namespace

Section validation_section(const JsonObject& validation) {
  Section section{"validation",
                  "Forecast against measurement",
                  "A mark a case: the median of its runs against its simulation, with bands of 5 "
                  "and 10 %.",
                  {},
                  {}};
  Figure accuracy = accuracy_of_forecast(validation);
  const std::string source = accuracy.source;
  if (!accuracy.panels.empty()) section.figures.push_back(std::move(accuracy));
  std::vector<Table> tables{goals_of(validation), strategies_of(validation),
                            distances_of(validation), cases_of(validation),
                            inversions_of(validation)};
  if (validation.array("verdicts").size() <= kDetailedCases)
    tables.push_back(validated_metrics(validation));
  for (Table& table : tables) {
    if (table.rows.empty()) continue;
    table.drop_empty_columns();
    table.source += (table.source.empty() ? "" : "; ") + source;
    if (&table == &tables[4]) table.folded = table.rows.size() > kUnfoldedRows;
    section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace foretrain
