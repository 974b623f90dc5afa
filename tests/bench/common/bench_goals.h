// Goals for the speed of benchmarked work.
#pragma once

#include "tests/bench/common/bench_result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::bench {

/// The goal of a row.
struct Goal {
  std::string_view row;  ///< its Result::name
  double figure = 0;
  /// Whether the goal is for the ratio to the peer; else for the row's own figure, in its unit.
  bool of_ratio = true;
};

/// All goals, in the order of a table.
std::span<const Goal> goals();
/// The goal of a row; null if it has none.
const Goal* goal_of(std::string_view row);
/// Whether `result` reaches it; empty if the ratio is missing because no peer was run.
std::optional<bool> reached(const Goal& goal, const Result& result);
/// `6` for a ratio, `2 s` for a figure.
std::string goal_text(const Goal& goal, const std::string& unit);

}  // namespace foretrain::bench
