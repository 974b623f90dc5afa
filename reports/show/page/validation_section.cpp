#include "reports/show/page/validation_section.h"

#include "reports/record/text.h"
#include "reports/show/figures/of_validation.h"
#include "reports/studies/validation/like_with_like.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/validation/verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;
using Tone = Cell::Tone;

constexpr std::size_t kUnfoldedRows = 10;  // of pairs in the wrong order

std::optional<double> number_in(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

std::string text_in(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string("-");
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

Table goals_of(const Json& validation) {
  Table table{
      "Goals",
      {},
      {{"goal"}, {"at most", true}, {"measured", true}, {"met", true}, {"worst", false, true}},
      {}};
  for (const Json& goal : validation.at("goals")) {
    const std::string unit = goal.at("unit").is_string() ? " " + text_in(goal.at("unit")) : "";
    const auto with_unit = [&](const Json& value) {
      return value.is_number() ? fmt::format("{:.1f}{}", value.get<double>(), unit) : "-";
    };
    const bool met = goal.at("is_met").get<bool>();
    table.rows.push_back(
        {{text_in(goal.at("goal"))},
         {with_unit(goal.at("limit"))},
         {with_unit(goal.at("measured"))},
         {fmt::format("{} of {}", goal.at("met").get<int>(), goal.at("of").get<int>()),
          met ? Tone::good : Tone::bad},
         {met ? "" : text_in(goal.at("worst"))}});
  }
  return table;
}

Table strategies_of(const Json& validation) {
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
  for (const auto& item : validation.at("strategies").items()) {
    const Json& entry = item.value();
    const bool has_steady = entry.contains("steady") && entry.at("steady").is_object();
    const Json& judged = has_steady ? entry.at("steady") : entry;
    const auto share = [&](const char* key) {
      return judged.contains(key) ? number_in(judged.at(key)) : std::nullopt;
    };
    const auto apart = [&](const char* part, const char* key) {
      const bool known = entry.contains(part) && entry.at(part).is_object();
      return known ? number_in(entry.at(part).at(key)) : std::nullopt;
    };
    table.rows.push_back({{item.key()},
                          {fmt::format("{}", entry.value("cases", 0))},
                          {fmt::format("{}", entry.value("noisy", 0))},
                          {percent(share("step_time_error_median"))},
                          {percent(share("step_time_error_p95"))},
                          {percent(share("step_time_error_max"))},
                          {percent(apart("protocol", "step_time_error_median"))},
                          {percent(apart("protocol", "step_time_error_p95"))},
                          {percent(apart("compute", "step_time_error_median"))},
                          {percent(apart("compute", "step_time_error_p95"))},
                          {percent(apart("alike", "step_time_error_median"))},
                          {percent(apart("alike", "step_time_error_p95"))},
                          {entry.contains("worst_case") ? text_in(entry.at("worst_case")) : "-"}});
  }
  return table;
}

/// How far apart the cores were, as a virtual machine gave them.
Table distances_of(const Json& validation) {
  Table table{"How far apart the cores were",
              "",
              {{"cores"}, {"of the trainings [%]", true}, {"calibrated so", true}},
              {}};
  if (!validation.contains("core_distances")) return table;
  const Json& shares = validation.at("core_distances");
  if (!shares.is_object()) return table;
  const std::string calibrated = text_in(shares.at("calibrated"));
  for (const char* distance : {"near", "far", "mixed"}) {
    table.rows.push_back({{distance},
                          {percent(number_in(shares.at(distance)))},
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
std::string distances_in(const Json& verdict) {
  const auto shares = verdict.find("core_distances");
  if (shares != verdict.end() && shares->is_object()) {
    const auto share = [&](const char* distance) {
      return number_in(shares->at(distance)).value_or(0);
    };
    return in_words({share("near"), share("far"), share("mixed"), ""});
  }
  const auto found = verdict.find("core_distance");
  return found == verdict.end() || !found->is_string() ? "" : found->get<std::string>();
}

/// A row a case: its step time, its verdict.
Table cases_of(const Json& validation) {
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
  std::size_t place = 0;
  for (const ForecastCase& each : forecast_cases(validation)) {
    const Json& verdicts = validation.at("verdicts");
    while (place < verdicts.size() && verdicts[place].at("settings") != each.settings) ++place;
    if (place == verdicts.size()) break;
    const Json& verdict = verdicts[place];
    const bool held = verdict.at("held").is_boolean() && verdict.at("held").get<bool>();
    const Json& why = verdict.at("why");
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
                          {text_in(verdict.at("verdict")), held ? Tone::good : Tone::bad},
                          {why.is_object() ? text_in(why.at("sentence")) : ""}});
  }
  return table;
}

/// Every metric of every case.
Table validated_metrics(const Json& validation) {
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
  for (const Json& row : validation.at("cases")) {
    Cell error = error_cell(number_in(row.at("error")));
    error.tone = Tone::plain;
    table.rows.push_back({{case_title(row)},
                          {text_in(row.at("metric"))},
                          {row.contains("node") ? text_in(row.at("node")) : ""},
                          {figure(number_in(row.at("measured")))},
                          {percent(number_in(row.at("spread")))},
                          {figure(number_in(row.at("predicted")))},
                          std::move(error)});
  }
  return table;
}

Table inversions_of(const Json& validation) {
  Table table{"Cases that the forecast puts in the wrong order, by gradients/s",
              {},
              {{"faster", false, true},
               {"slower", false, true},
               {"measured ratio", true},
               {"predicted ratio", true}},
              {}};
  for (const Json& pair : validation.at("order").at("all").at("inverted")) {
    table.rows.push_back({{text_in(pair.at("faster"))},
                          {text_in(pair.at("slower"))},
                          {figure(number_in(pair.at("measured_ratio")))},
                          {figure(number_in(pair.at("predicted_ratio")))}});
  }
  return table;
}

}  // namespace

Section validation_section(const Json& validation) {
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
  if (validation.at("verdicts").size() <= kDetailedCases)
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
