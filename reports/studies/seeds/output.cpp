// The seed intervals of a forecast: a Result for people, JSON for programs.
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/seeds/seed_intervals.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace foretrain {
namespace {

/// Guards against reading the intervals as prediction intervals.
constexpr const char* kNoPrediction =
    "These are no prediction intervals: they show the effect of seeds (variation of compute times, "
    "stragglers, order of the data), not the error of the forecast.";

std::string sentence(const SeedIntervals& intervals) {
  const std::uint64_t first = intervals.scenario_case.scenario.seed;
  std::string text = fmt::format("{} simulated with {}", title_of(intervals.scenario_case),
                                 intervals.seeds == 1
                                     ? fmt::format("seed {}", first)
                                     : fmt::format("the {} seeds from {}", intervals.seeds, first));
  if (const SeedInterval* time = intervals.find("time_s")) {
    text += fmt::format(": it takes {} s; nine of ten seeds {} to {} s", figure(time->median),
                        figure(time->p5), figure(time->p95));
  }
  return text + ".";
}

}  // namespace

ResultTable seed_intervals_table(const SeedIntervals& intervals) {
  using Kind = ResultColumn::Kind;
  ResultTable table{"bands",
                    "Figures over the seeds",
                    {{"figure", "figure", Kind::words},
                     {"median", "median"},
                     {"p5", "5 %"},
                     {"p95", "95 %"},
                     {"known", "seeds", Kind::count}},
                    {}};
  for (const SeedInterval& interval : intervals.figures) {
    table.rows.push_back({{interval.figure, interval.median, interval.p5, interval.p95,
                           static_cast<double>(interval.known)}});
  }
  return table;
}

Result seed_intervals_result(const SeedIntervals& intervals) {
  ResultTable table = seed_intervals_table(intervals);
  std::erase_if(table.rows, [](const ResultRow& row) {
    return row.values[1] == ResultValue(0.0) && row.values[2] == ResultValue(0.0) &&
           row.values[3] == ResultValue(0.0);
  });
  std::string stands_on = kNoPrediction;
  if (!intervals.stands_on.empty()) stands_on += " " + intervals.stands_on;
  return {sentence(intervals), {std::move(table)}, std::move(stands_on)};
}

nlohmann::ordered_json to_json(const SeedIntervals& intervals) {
  nlohmann::ordered_json json;
  json["name"] = intervals.scenario_case.scenario.name;
  json["settings"] = to_json(intervals.scenario_case.settings);
  json["mode"] = name_of(Mode::simulate);
  json["seeds"] = intervals.seeds;
  json["first_seed"] = intervals.scenario_case.scenario.seed;
  json["what_bands_are"] = kNoPrediction;
  if (!intervals.stands_on.empty()) json["stands_on"] = intervals.stands_on;
  json["figures"] = nlohmann::ordered_json::object();
  for (const SeedInterval& interval : intervals.figures) {
    auto& entry = json["figures"][interval.figure];
    entry = {{"median", interval.median}, {"p5", interval.p5}, {"p95", interval.p95}};
    if (interval.known < intervals.seeds) entry["known"] = interval.known;
  }
  return json;
}

}  // namespace foretrain
