// The tables of a validation, from its JSON.
#include "reports/record/json_object.h"
#include "reports/studies/validation/output.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Kind = ResultColumn::Kind;

/// A table that is shown with --full only.
ResultTable full_table(std::string name, std::string title, std::vector<ResultColumn> columns) {
  return {std::move(name), std::move(title), std::move(columns), {}, true};
}

ResultTable cases_table(const JsonObject& validation) {
  ResultTable table{
      "steps",
      "Step time. by moment: error with the machine speed measured around the run. from, to: range "
      "in which nine of ten measurements are expected",
      {{"case", "case", Kind::words},
       {"step_time.measured", "step [ms]"},
       {"step_time.predicted", "forecast"},
       {"step_time.error", "error", Kind::change, true},
       {"step_time.moment_error", "by moment", Kind::change},
       {"step_time.predicted_low", "from"},
       {"step_time.predicted_high", "to"},
       {"step_time.in_range", "inside", Kind::words},
       {"examples_per_s", "examples/s", Kind::comment},
       {"test_accuracy", "accuracy"}},
      {}};
  for (const JsonObject& each : validation.objects("verdicts")) {
    add_row(table, each, "step_time.in_range");
  }
  return table;
}

ResultTable strategies_table(const JsonObject& validation) {
  ResultTable table{"strategies",
                    "Error of the step time by strategy, without noisy cases. protocol: error with "
                    "the runs' own compute times. compute: the remaining error",
                    {{"strategy", "strategy", Kind::words},
                     {"cases", "cases", Kind::count},
                     {"noisy", "noisy", Kind::count},
                     {"judged.step_time_error_median", "median", Kind::share},
                     {"judged.step_time_error_p95", "95 %", Kind::share},
                     {"judged.step_time_error_max", "most", Kind::share},
                     {"protocol.step_time_error_median", "protocol", Kind::share},
                     {"protocol.step_time_error_p95", "95 %", Kind::share},
                     {"compute.step_time_error_median", "compute", Kind::share},
                     {"compute.step_time_error_p95", "95 %", Kind::share},
                     {"worst_case", "worst case", Kind::comment}},
                    {}};
  const JsonObject strategies = validation.object("strategies");
  for (const std::string& name : strategies.keys()) {
    const JsonObject found = strategies.object(name.c_str());
    nlohmann::ordered_json entry = strategies.at(name.c_str());
    entry["strategy"] = name;
    entry["judged"] = found.has("steady") ? found.at("steady") : strategies.at(name.c_str());
    add_row(table, JsonObject(entry, strategies.path(name.c_str()), kDamagedFile));
  }
  return table;
}

ResultTable errors_table(const JsonObject& validation) {
  ResultTable table = full_table("errors",
                                 "Where errors come from: the phase of a step that differs most "
                                 "[ms]. noisy: repeated runs vary by more than 5 %",
                                 {{"case", "case", Kind::words},
                                  {"step_time.spread", "spread", Kind::share},
                                  {"step_time.protocol_error", "protocol", Kind::change},
                                  {"step_time.compute_error", "compute", Kind::change},
                                  {"verdict", "verdict", Kind::words},
                                  {"why.phase", "phase", Kind::words},
                                  {"why.measured_ms", "measured"},
                                  {"why.predicted_ms", "forecast"}});
  for (const JsonObject& each : validation.objects("verdicts")) add_row(table, each, "held");
  table.columns[4].judged = true;
  return table;
}

ResultTable bits_table(const JsonObject& validation) {
  ResultTable table = full_table("bits", "Results of run and simulation",
                                 {{"case", "case", Kind::words},
                                  {"weights_equal", "weights equal", Kind::words},
                                  {"replay_equal", "replay equal", Kind::words},
                                  {"staleness_ks", "staleness distance"},
                                  {"runs_that_reached_target", "runs at target", Kind::count},
                                  {"simulation_reached_target", "forecast at target", Kind::words},
                                  {"replay_failure", "why", Kind::comment}});
  for (const JsonObject& each : validation.objects("verdicts")) add_row(table, each);
  return table;
}

ResultTable goals_table(const JsonObject& validation) {
  ResultTable table = full_table("goals", "Goals of the project",
                                 {{"goal", "goal", Kind::words},
                                  {"limit", "at most"},
                                  {"measured", "measured"},
                                  {"unit", "unit", Kind::words},
                                  {"met", "met", Kind::count, true},
                                  {"of", "of", Kind::count},
                                  {"worst", "worst", Kind::comment}});
  for (const JsonObject& each : validation.objects("goals")) add_row(table, each, "is_met");
  return table;
}

ResultTable order_table(const JsonObject& validation) {
  ResultTable table =
      full_table("order", "Cases that the forecast puts in the wrong order, by gradients/s",
                 {{"faster", "faster", Kind::words},
                  {"slower", "slower", Kind::words},
                  {"measured_ratio", "measured ratio"},
                  {"predicted_ratio", "forecast"}});
  const JsonObject order = validation.object("order").object("all");
  for (const JsonObject& each : order.objects("inverted")) add_row(table, each);
  return table;
}

ResultTable seeds_table(const JsonObject& validation) {
  ResultTable table = full_table("over_seeds", "Medians over seeds",
                                 {{"case", "case", Kind::words},
                                  {"metric", "metric", Kind::words},
                                  {"measured", "measured"},
                                  {"spread", "spread", Kind::share},
                                  {"predicted", "forecast"},
                                  {"error", "error", Kind::change},
                                  {"in_range", "in range", Kind::words}});
  if (!validation.has("over_seeds")) return table;
  for (const JsonObject& group : validation.objects("over_seeds")) {
    for (const JsonObject& each : group.objects("metrics")) {
      const std::string metric = each.text("metric");
      if (metric != "time_to_target_s" && metric != "step_time_ms") continue;
      add_row(table, each);
      table.rows.back().values[0] = case_title(group);
    }
  }
  return table;
}

}  // namespace

std::string case_title(const JsonObject& row) {
  std::string title = row.text("strategy");
  const JsonObject settings = row.object("settings");
  for (const std::string& key : settings.keys()) {
    if (key == "training.strategy") continue;
    title += fmt::format(", {}={}", key.substr(key.rfind('.') + 1), settings.text(key.c_str()));
  }
  return title;
}

ResultTable metrics_table(const JsonObject& validation) {
  ResultTable table = full_table("cases", "Every metric",
                                 {{"case", "case", Kind::words},
                                  {"strategy", "strategy", Kind::comment},
                                  {"metric", "metric", Kind::words},
                                  {"node", "node", Kind::words},
                                  {"measured", "measured"},
                                  {"q1", "q1", Kind::comment},
                                  {"q3", "q3", Kind::comment},
                                  {"spread", "spread", Kind::share},
                                  {"predicted", "forecast"},
                                  {"predicted_low", "from", Kind::comment},
                                  {"predicted_high", "to", Kind::comment},
                                  {"error", "error", Kind::change},
                                  {"moment_error", "by moment", Kind::comment},
                                  {"protocol_error", "protocol", Kind::comment},
                                  {"compute_error", "compute", Kind::comment}});
  for (const JsonObject& each : validation.objects("cases")) {
    add_row(table, each);
    table.rows.back().values[0] = case_title(each);
  }
  return table;
}

Result validation_result(const JsonObject& validation) {
  Result result{validation.known_text("sentence"), {}, validation.known_text("stands_on")};
  ResultTable metrics = metrics_table(validation);
  ResultTable cases = cases_table(validation);
  ResultTable strategies = strategies_table(validation);
  const bool few = cases.rows.size() <= kBriefRows;
  (few ? strategies : cases).full = true;
  result.tables = {std::move(few ? cases : strategies),
                   std::move(few ? strategies : cases),
                   errors_table(validation),
                   bits_table(validation),
                   goals_table(validation),
                   order_table(validation),
                   seeds_table(validation)};
  const std::size_t number = validation.array("verdicts").size();
  if (number <= kDetailedCases) result.tables.push_back(std::move(metrics));
  return result;
}

}  // namespace foretrain
