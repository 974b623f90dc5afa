// How fast the benchmarks' work is to be.
#pragma once

#include "tests/bench/common/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::bench {

/// What a row is to reach.
struct Goal {
  std::string_view row;  ///< its Result::name
  double figure = 0;
  /// Of the ratio over the peer; otherwise of the row's own figure, in its unit.
  bool of_ratio = true;
};

/// All there are, in the order of a table.
std::span<const Goal> goals();
/// That of a row; null: it has none.
const Goal* goal_of(std::string_view row);
/// Whether `result` reaches it; empty where that takes a peer, who was not asked.
std::optional<bool> reached(const Goal& goal, const Result& result);
/// `6` of a ratio, `2 s` of a figure.
std::string goal_text(const Goal& goal, const std::string& unit);

}  // namespace foretrain::bench
