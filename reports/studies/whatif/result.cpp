// The bottleneck of a training in a sentence, then the Result with all findings.
#include "reports/record/caveats.h"
#include "reports/record/json_object.h"
#include "reports/record/record.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/whatif/forecast.h"
#include "reports/studies/whatif/whatif_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

std::string whole_percent(double share) { return fmt::format("{:.0f} %", share * 100); }

double saved(double before_s, double after_s) { return 1 - after_s / before_s; }

/// The effect of the change that relieves the bottleneck, in words.
std::string limit_clause(const WhatIf& whatif, const Change* change) {
  const double time_s = *whatif.time_s;
  const std::string time =
      fmt::format("{} ({} to {}) for {}", time_text(time_s), time_text(time_s * whatif.range.low),
                  time_text(time_s * whatif.range.high), whatif.measure);
  if (change == nullptr || !change->time_s || change->reordered) return "; it takes " + time;
  if (whatif.range.same(time_s, *change->time_s)) {
    return fmt::format("; {} saves no more than the forecast's error, {}, of {}", change->what,
                       whole_percent(whatif.range.apart), time);
  }
  const double share = saved(time_s, *change->time_s);
  return fmt::format("; {} {} {} of {}", change->what, share < 0 ? "costs" : "saves",
                     whole_percent(std::abs(share)), time);
}

/// The change that saves most, with the changes that the forecast cannot tell from it. Empty if the
/// one that relieves the bottleneck is as good, or if no saving exceeds the forecast's error.
std::string best_clause(const WhatIf& whatif, const Change* limit) {
  const auto usable = [](const Change& change) { return change.time_s && !change.reordered; };
  const auto best = std::ranges::find_if(whatif.changes, usable);  // sorted: the first saves most
  if (best == whatif.changes.end() || whatif.range.same(*best->time_s, *whatif.time_s)) return {};
  if (*best->time_s > *whatif.time_s || &*best == limit) return {};
  const bool limit_as_good =
      limit != nullptr && usable(*limit) && whatif.range.same(*best->time_s, *limit->time_s);
  if (limit_as_good) return {};
  std::string text = fmt::format("; most is saved by {}, {}", best->name,
                                 whole_percent(saved(*whatif.time_s, *best->time_s)));
  const bool has_target = whatif.scenario_case.scenario.training.until.wanted();
  if (!best->statistical_efficiency.empty() && !has_target) {
    text += ", at another statistical efficiency";
  }
  std::vector<std::string> others;
  for (const Change& each : whatif.changes) {
    const bool ties = &each != &*best && usable(each);
    if (ties && whatif.range.same(*each.time_s, *best->time_s)) others.push_back(each.name);
  }
  if (others.empty()) return text;
  return text + fmt::format(", as much as by {} within the forecast's error, {}", listed(others),
                            whole_percent(whatif.range.apart));
}

/// A row for the training as it is, then one for each change.
ResultTable changes_table(const JsonObject& whatif) {
  const std::string currency = whatif.known_text("currency");
  ResultTable table{"changes",
                    "Time for " + whatif.text("measure"),
                    {{"name", "change", ColumnKind::words},
                     {"time_s", "time", ColumnKind::time},
                     {"saved", "saved", ColumnKind::change},
                     {"elasticity", "saved if\n1 % faster"},
                     {"free_time_s", "time if\ninstant", ColumnKind::time},
                     {"cost", currency.empty() ? "cost" : fmt::format("cost [{}]", currency)},
                     {"staleness_mean", "staleness"},
                     {"what", "what it does", ColumnKind::comment},
                     {"statistical_efficiency", "statistical efficiency", ColumnKind::note},
                     {"uneven_share", "workers make unequal shares", ColumnKind::note},
                     {"why_not", "not tried", ColumnKind::note}},
                    {}};
  constexpr std::size_t kTime = 1;
  constexpr std::size_t kSaved = 2;
  add_rows(table, {whatif});
  table.rows.front().values.front() = "as it is";
  const std::vector<JsonObject> changes = whatif.objects("changes");
  add_rows(table, changes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].has("reordered") || !changes[i].flag("reordered")) continue;
    table.rows[i + 1].values[kSaved] = "reordered";
  }
  table.full = std::ranges::none_of(table.rows, [](const ResultRow& row) {
    return std::holds_alternative<double>(row.values[kTime]);
  });
  return table;
}

ResultTable path_table(const JsonObject& whatif, bool full) {
  const bool whole = !whatif.has("path_whole") || whatif.flag("path_whole");
  ResultTable table{"path",
                    whole ? "Critical path" : "Critical path of the first steps",
                    {{"resource", "critical path", ColumnKind::words},
                     {"time_s", "time", ColumnKind::time},
                     {"share", "share", ColumnKind::share},
                     {"whose", "most of it", ColumnKind::words}},
                    {},
                    full};
  add_rows(table, whatif.objects("path"));
  return table;
}

/// The change that was run for real, in words; empty if none was.
std::string verified_text(const JsonObject& whatif) {
  if (whatif.has("not_verified")) return " Not verified: " + whatif.text("not_verified");
  if (!whatif.has("verified")) return {};
  const JsonObject v = whatif.object("verified");
  return fmt::format(
      " Run for real, {} times each: {} takes {} instead of {}; the forecast was {} instead of {}. "
      "The forecast of the time with the change is off by {}, that of the ratio of both times by "
      "{}.",
      v.integer("repetitions"), v.text("change"), time_text(v.number("measured_after_s")),
      time_text(v.number("measured_before_s")), time_text(v.number("forecast_after_s")),
      time_text(v.number("forecast_before_s")), signed_percent(v.number("error")),
      signed_percent(v.number("ratio_error")));
}

void add_notes(const JsonObject& whatif, Result& result) {
  for (const JsonObject& each : whatif.objects("crossovers")) {
    const std::string text = each.text("question") + " " + each.text("answer");
    if (each.has("asked") && each.flag("asked")) {
      result.sentence += " " + text;
    } else {
      result.notes.push_back(text);
    }
  }
  constexpr double kLeast = 0.005;
  if (const double queued = whatif.known_number("queued_share").value_or(0); queued >= kLeast) {
    result.notes.push_back(
        fmt::format("{} of the critical path is waiting for a busy core.", whole_percent(queued)));
  }
  result.notes.emplace_back(
      "Each time is for the same number of examples; another batch size, strategy or number of "
      "workers learns differently from them. With a target (training.until) it is the time to the "
      "target, interpolated between evaluations and without the evaluations' own time. `saved if 1 "
      "% faster`: per cent of the time that are saved if the resource is 1 % faster. `time if "
      "instant`: the time if work on the resource took no time. `staleness`: mean staleness of "
      "gradients, in updates. `reordered`: the change runs work in another order, in which work "
      "that others wait for comes later; do not rely on its time.");
}

}  // namespace

const Change* WhatIf::find(std::string_view name) const {
  const auto found = std::ranges::find(changes, name, &Change::name);
  return found == changes.end() ? nullptr : &*found;
}

std::string limit_text(const Case& scenario_case, const Limit& limit) {
  const std::string title = title_of(scenario_case);
  if (limit.resource.empty()) return fmt::format("{}: nothing took any time", title);
  return fmt::format("{}: {}{} limits it, {} of the critical path", title, limit.resource,
                     limit.whose.empty() ? "" : " of " + limit.whose, whole_percent(limit.share));
}

std::string first_sentence(const Forecast& forecast) {
  const Record& record = forecast.record;
  if (record.outcome == Outcome::done) {
    return limit_text(record.scenario_case, forecast.limit) + ".";
  }
  return fmt::format("{}: {}.", title_of(record.scenario_case), record.failure);
}

std::string first_sentence(const WhatIf& whatif) {
  if (whatif.path.empty() || whatif.changes.empty())
    return limit_text(whatif.scenario_case, {}) + ".";
  const std::string text = limit_text(whatif.scenario_case, whatif.limit);
  if (!whatif.no_time.empty()) return fmt::format("{}; {}.", text, whatif.no_time);
  if (!whatif.time_s) return text + ".";
  const Change* change = whatif.find(whatif.limit.change);
  return text + limit_clause(whatif, change) + best_clause(whatif, change) + ".";
}

Result whatif_result(const JsonObject& whatif) {
  Result result{whatif.object("limit").text("sentence"), {}, whatif.known_text("stands_on")};
  result.stands_on =
      result.stands_on.empty() ? whatif.known_text("source") : "Simulated. " + result.stands_on;
  result.tables.push_back(changes_table(whatif));
  result.tables.push_back(path_table(whatif, !result.tables.front().full));
  if (whatif.has("phases")) {
    ResultTable table{"phases",
                      "Phases of a step, recorded " + whatif.known_text("recorded"),
                      {{"phase", "phase", ColumnKind::words},
                       {"recorded_s", "mean", ColumnKind::time},
                       {"recorded_path_s", "on the path", ColumnKind::time},
                       {"simulated_s", "simulated", ColumnKind::time}},
                      {},
                      true};
    add_rows(table, whatif.objects("phases"));
    result.tables.push_back(std::move(table));
  }
  add_notes(whatif, result);
  result.sentence += verified_text(whatif);
  return result;
}

}  // namespace foretrain
