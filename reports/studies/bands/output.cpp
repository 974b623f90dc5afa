// The bands of a forecast: a Result for people, JSON for programs.
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/studies/bands/bands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace foretrain {
namespace {

/// Guards against reading the bands as prediction intervals.
constexpr const char* kNoPrediction =
    "These are no prediction intervals: they hold what seeds change (jitter, stragglers, the order "
    "of the data), not how wrong the forecast is.";

std::string sentence(const Bands& bands) {
  const std::uint64_t first = bands.scenario_case.scenario.seed;
  std::string text =
      fmt::format("{} simulated with {}", title_of(bands.scenario_case),
                  bands.seeds == 1 ? fmt::format("seed {}", first)
                                   : fmt::format("the {} seeds from {}", bands.seeds, first));
  if (const Band* time = bands.find("time_s")) {
    text += fmt::format(": it takes {} s; nine of ten seeds {} to {} s", figure(time->median),
                        figure(time->p5), figure(time->p95));
  }
  return text + ".";
}

}  // namespace

ResultTable bands_table(const Bands& bands) {
  using Kind = ResultColumn::Kind;
  ResultTable table{"bands",
                    "Figures over the seeds",
                    {{"figure", "figure", Kind::words},
                     {"median", "median"},
                     {"p5", "5 %"},
                     {"p95", "95 %"},
                     {"known", "seeds", Kind::count}},
                    {}};
  for (const Band& band : bands.figures) {
    table.rows.push_back(
        {{band.figure, band.median, band.p5, band.p95, static_cast<double>(band.known)}});
  }
  return table;
}

Result bands_result(const Bands& bands) {
  ResultTable table = bands_table(bands);
  std::erase_if(table.rows, [](const ResultRow& row) {
    return row.values[1] == ResultValue(0.0) && row.values[2] == ResultValue(0.0) &&
           row.values[3] == ResultValue(0.0);
  });
  std::string stands_on = kNoPrediction;
  if (!bands.stands_on.empty()) stands_on += " " + bands.stands_on;
  return {sentence(bands), {std::move(table)}, std::move(stands_on)};
}

nlohmann::ordered_json to_json(const Bands& bands) {
  nlohmann::ordered_json json;
  json["name"] = bands.scenario_case.scenario.name;
  json["settings"] = to_json(bands.scenario_case.settings);
  json["mode"] = name_of(Mode::simulate);
  json["seeds"] = bands.seeds;
  json["first_seed"] = bands.scenario_case.scenario.seed;
  json["what_bands_are"] = kNoPrediction;
  if (!bands.stands_on.empty()) json["stands_on"] = bands.stands_on;
  json["figures"] = nlohmann::ordered_json::object();
  for (const Band& band : bands.figures) {
    auto& entry = json["figures"][band.figure];
    entry = {{"median", band.median}, {"p5", band.p5}, {"p95", band.p95}};
    if (band.known < bands.seeds) entry["known"] = band.known;
  }
  return json;
}

}  // namespace foretrain
