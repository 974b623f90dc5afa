// Bands as people read them, then as programs do.
#include "reports/record/csv.h"
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/studies/bands/bands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace foretrain {
namespace {

/// What people take the bands for.
constexpr const char* kNoPrediction =
    "These are no prediction intervals: they hold what seeds change (jitter, stragglers, the order "
    "of the data), not how wrong the forecast is.";

constexpr std::array kBandColumns{30, -14, -14, -14};

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

std::string to_table(const Bands& bands) {
  std::string text =
      wrap(sentence(bands)) + "\n" + table_line(kBandColumns, {"", "median", "5 %", "95 %"});
  for (const Band& band : bands.figures) {
    const bool always_zero = band.median == 0 && band.p5 == 0 && band.p95 == 0;
    if (always_zero) continue;
    std::string name = band.figure;
    if (band.known < bands.seeds) name += fmt::format(" ({} of {})", band.known, bands.seeds);
    text +=
        table_line(kBandColumns, {name, figure(band.median), figure(band.p5), figure(band.p95)});
  }
  text += "\n" + wrap(kNoPrediction);
  return bands.stands_on.empty() ? text : text + wrap(bands.stands_on);
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

std::string bands_csv(const Bands& bands) {
  static constexpr auto kColumns =
      std::to_array<std::string_view>({"figure", "median", "p5", "p95", "known"});
  CsvWriter csv(kColumns);
  for (const Band& band : bands.figures) {
    csv.text(band.figure).number(band.median).number(band.p5).number(band.p95);
    csv.integer(band.known).end_row();
  }
  return std::string(csv.written());
}

}  // namespace foretrain
