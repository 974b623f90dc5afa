// The table of a sweep from records of one scenario.
#include "reports/record/forecast_range.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/page/sections.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kFewestCases = 3;

SweepTable::Row row_of_record(const Record& record, const std::string& name,
                              const std::vector<std::string>& keys) {
  SweepTable::Row row{
      name, {std::string(name_of(record.mode))}, {}, source_of(record), record.failure};
  const auto& settings = record.scenario_case.settings;
  for (std::size_t key = 1; key < keys.size(); ++key) {
    const auto found = std::ranges::find(settings, keys[key], &Setting::key);
    row.settings.push_back(found == settings.end() ? "" : found->value);
  }
  const nlohmann::ordered_json json = to_json(record);
  for (const auto& [key, value] : json.items()) {
    if (value.is_number()) row.figures[key] = value.get<double>();
  }
  row.figures[kForecastError] = forecast_range(record).error();
  row.currency = json.value("currency", "");
  return row;
}

}  // namespace

SweepTable sweep_of(const std::vector<Record>& records) {
  SweepTable sweep;
  if (records.size() < kFewestCases) return sweep;
  sweep.settings = {"mode"};
  for (const Record& record : records) {
    sweep.has_target = sweep.has_target || record.scenario_case.scenario.training.until.wanted();
    for (const Setting& setting : record.scenario_case.settings) {
      if (std::ranges::find(sweep.settings, setting.key) == sweep.settings.end()) {
        sweep.settings.push_back(setting.key);
      }
    }
  }
  const Legend legend = legend_of(records);
  sweep.rows.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    sweep.rows.push_back(row_of_record(records[i], legend.titles[i], sweep.settings));
  }
  return compared(std::move(sweep));
}

}  // namespace foretrain
