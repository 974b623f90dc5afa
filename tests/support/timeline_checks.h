// Properties of every timeline.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A slice; times in ns.
struct TimelineSlice {
  std::string name;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Checks that each process is named, slices are ordered and nested, counters are ordered. Returns
/// the slices by process.
inline std::map<int, std::vector<TimelineSlice>> check_timeline(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  CHECK(json.at("displayTimeUnit") == "ms");
  std::map<int, std::vector<TimelineSlice>> slices;
  std::map<int, std::vector<std::int64_t>> open;  // ends of the enclosing slices
  std::map<std::pair<int, std::string>, double> levels;
  std::map<int, std::string> names;
  std::size_t wrong = 0;
  for (const auto& event : json.at("traceEvents")) {
    const int process = event.at("pid");
    const std::string name = event.at("name");
    wrong += process > 0 ? 0 : 1;
    if (event.at("ph") == "M") {
      if (name == "process_name") names[process] = event.at("args").at("name");
      continue;
    }
    wrong += names.contains(process) ? 0 : 1;
    const double start_us = event.at("ts");
    if (event.at("ph") == "C") {
      const auto [level, fresh] = levels.try_emplace({process, name}, start_us);
      wrong += !fresh && start_us < level->second ? 1 : 0;
      level->second = start_us;
      continue;
    }
    wrong += event.at("ph") == "X" ? 0 : 1;
    const double length_us = event.at("dur");
    TimelineSlice slice{name, std::llround(start_us * 1e3), 0};
    slice.end = slice.start + std::llround(length_us * 1e3);
    auto& mine = slices[process];
    auto& ends = open[process];
    wrong += slice.end < slice.start ? 1 : 0;
    wrong += !mine.empty() && slice.start < mine.back().start ? 1 : 0;
    while (!ends.empty() && ends.back() <= slice.start) ends.pop_back();
    wrong += !ends.empty() && slice.end > ends.back() ? 1 : 0;
    ends.push_back(slice.end);
    mine.push_back(slice);
  }
  CHECK(wrong == 0);
  return slices;
}

}  // namespace foretrain::testing
