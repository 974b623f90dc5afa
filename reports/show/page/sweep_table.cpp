// A sweep's cases as a table, from its file or from records.
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/page/sweep_section.h"
#include "scenarios/csv.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kFewestCases = 3;

/// Leaves out what is the same in all rows.
SweepTable without_constants(SweepTable sweep) {
  for (std::size_t key = sweep.settings.size(); key-- > 0;) {
    const auto same = [&](const SweepTable::Row& row) {
      return row.settings[key] == sweep.rows.front().settings[key];
    };
    if (sweep.rows.empty() || !std::ranges::all_of(sweep.rows, same)) continue;
    const auto place = static_cast<std::ptrdiff_t>(key);
    sweep.settings.erase(sweep.settings.begin() + place);
    for (SweepTable::Row& row : sweep.rows) row.settings.erase(row.settings.begin() + place);
  }
  return sweep;
}

}  // namespace

SweepTable read_sweep(std::string_view csv, const std::string& source) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}; is this the table of a sweep?", source, what));
  };
  CsvRows rows(csv, CsvRows::Comments::are_rows,
               [&](std::size_t line, std::size_t, const std::string& what) {
                 fail(fmt::format("line {}: {}", line, what));
               });
  if (!rows.next()) fail("it is empty");
  const std::vector<std::string> head = rows.texts();
  const auto place_of = [&](std::string_view name) {
    const auto found = std::ranges::find(head, name);
    if (found == head.end()) fail(fmt::format("no column {}", name));
    return static_cast<std::size_t>(found - head.begin());
  };
  const std::size_t name = place_of("name");
  const std::size_t mode = place_of("mode");
  const std::size_t machine = place_of("machine");
  const std::size_t status = place_of("status");
  const std::size_t error = place_of("error");
  if (mode < name) fail("the column mode stands before the settings");
  SweepTable sweep;
  for (std::size_t i = name + 1; i < mode; ++i) sweep.settings.push_back(head[i]);
  for (std::size_t r = 1; rows.next(); ++r) {
    const std::vector<std::string> cells = rows.texts();
    if (cells.size() != head.size()) {
      fail(fmt::format("row {} has {} cells, the head has {}", r, cells.size(), head.size()));
    }
    SweepTable::Row row{cells[name], {}, {}, cells[mode] + " on " + cells[machine], cells[error]};
    if (row.error.empty() && cells[status] != "done") row.error = cells[status];
    for (std::size_t i = name + 1; i < mode; ++i) row.settings.push_back(cells[i]);
    for (std::size_t i = error + 1; i < cells.size(); ++i) {
      double value = 0;
      const char* end = cells[i].data() + cells[i].size();
      if (std::from_chars(cells[i].data(), end, value).ptr == end && !cells[i].empty()) {
        row.figures[head[i]] = value;
      }
    }
    sweep.rows.push_back(std::move(row));
  }
  return without_constants(std::move(sweep));
}

SweepTable sweep_of(const std::vector<Record>& records) {
  SweepTable sweep;
  if (records.size() < kFewestCases) return sweep;
  sweep.settings = {"mode"};
  for (const Record& record : records) {
    for (const Setting& setting : record.scenario_case.settings) {
      if (std::ranges::find(sweep.settings, setting.key) == sweep.settings.end()) {
        sweep.settings.push_back(setting.key);
      }
    }
  }
  const Legend legend = legend_of(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    SweepTable::Row row{legend.titles[i],
                        {std::string(name_of(record.mode))},
                        {},
                        source_of(record),
                        record.failure};
    for (std::size_t key = 1; key < sweep.settings.size(); ++key) {
      const auto& settings = record.scenario_case.settings;
      const auto found = std::ranges::find(settings, sweep.settings[key], &Setting::key);
      row.settings.push_back(found == settings.end() ? "" : found->value);
    }
    const nlohmann::ordered_json json = to_json(record);
    for (const auto& [key, value] : json.items()) {
      if (value.is_number()) row.figures[key] = value.get<double>();
    }
    sweep.rows.push_back(std::move(row));
  }
  return without_constants(std::move(sweep));
}

}  // namespace foretrain
