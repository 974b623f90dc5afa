#include "reports/studies/sweep/sweep_table.h"

#include "scenarios/language/csv.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace foretrain {
namespace {

constexpr const char* kWorkersKey = "training.workers";

/// A row with its number of workers and its rate.
struct Counted {
  double workers = 0;
  double examples_per_s = 0;
  SweepTable::Row* row = nullptr;
};

}  // namespace

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

std::optional<double> figure_in(const SweepTable::Row& row, const std::string& name) {
  const auto found = row.figures.find(name);
  if (found == row.figures.end() || !row.error.empty()) return std::nullopt;
  return found->second;
}

std::string currency_of(const SweepTable& sweep) {
  std::set<std::string> currencies;
  for (const SweepTable::Row& row : sweep.rows) {
    if (row.figures.contains("cost")) currencies.insert(row.currency);
  }
  return currencies.size() == 1 ? *currencies.begin() : std::string();
}

void add_gains(SweepTable& sweep) {
  const auto found = std::ranges::find(sweep.settings, kWorkersKey);
  if (found == sweep.settings.end()) return;
  const auto key = found - sweep.settings.begin();
  std::map<std::vector<std::string>, std::vector<Counted>> groups;  // by all settings but workers
  for (SweepTable::Row& row : sweep.rows) {
    std::vector<std::string> others = row.settings;
    const auto workers = number_of(others[static_cast<std::size_t>(key)]);
    const auto rate = figure_in(row, kBareRate);
    if (!workers || !rate || *workers <= 0 || *rate <= 0) continue;
    others.erase(others.begin() + key);
    groups[others].push_back({*workers, *rate, &row});
  }
  for (const auto& [others, group] : groups) {
    const Counted& fewest = *std::ranges::min_element(group, {}, &Counted::workers);
    if (group.size() < 2) continue;
    for (const Counted& each : group) {
      const double speed_up = each.examples_per_s / fewest.examples_per_s;
      each.row->figures[kSpeedUp] = speed_up;
      each.row->figures[kEfficiency] = speed_up / (each.workers / fewest.workers);
    }
  }
}

SweepTable compared(SweepTable sweep) {
  for (std::size_t key = sweep.settings.size(); key-- > 0;) {
    const auto same = [&](const SweepTable::Row& row) {
      return row.settings[key] == sweep.rows.front().settings[key];
    };
    if (sweep.rows.empty() || !std::ranges::all_of(sweep.rows, same)) continue;
    const auto place = static_cast<std::ptrdiff_t>(key);
    sweep.settings.erase(sweep.settings.begin() + place);
    for (SweepTable::Row& row : sweep.rows) row.settings.erase(row.settings.begin() + place);
  }
  add_gains(sweep);
  return sweep;
}

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
  if (mode < name) fail("the column mode is not after the settings");
  SweepTable sweep;
  sweep.has_target = std::ranges::find(head, "time_to_target_s") != head.end();
  for (std::size_t i = name + 1; i < mode; ++i) sweep.settings.push_back(head[i]);
  for (std::size_t r = 1; rows.next(); ++r) {
    const std::vector<std::string> cells = rows.texts();
    if (cells.size() != head.size()) {
      fail(fmt::format("row {} has {} cells, but the first line has {}", r, cells.size(),
                       head.size()));
    }
    const std::string on = cells[machine].empty() ? "" : " on " + cells[machine];
    SweepTable::Row row{cells[name], {}, {}, cells[mode] + on, cells[error]};
    if (row.error.empty() && cells[status] != "done") row.error = cells[status];
    for (std::size_t i = name + 1; i < mode; ++i) row.settings.push_back(cells[i]);
    for (std::size_t i = error + 1; i < cells.size(); ++i) {
      if (head[i] == "currency") row.currency = cells[i];
      if (head[i] == kCaveats) row.caveats = cells[i];
      if (const auto value = number_of(cells[i])) row.figures[head[i]] = *value;
    }
    for (const auto& [bare, with] : {std::pair(kBareTimeToTarget, "time_to_target_s"),
                                     std::pair(kBareRate, "examples_per_s")}) {
      const auto found = row.figures.find(with);
      if (found != row.figures.end()) row.figures.try_emplace(bare, found->second);
    }
    sweep.rows.push_back(std::move(row));
  }
  return compared(std::move(sweep));
}

}  // namespace foretrain
