// Two builds beside each other, by what their benchmarks found in turn.
#pragma once

#include "tests/bench/common/result.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// One row of both.
struct Compared {
  std::string name;
  std::string unit;
  double a = 0;  ///< median over the rounds
  double b = 0;
  double ratio = 0;   ///< of the medians: how many times better B is
  double spread = 0;  ///< half the range of the ratios of the rounds, each of its own two figures
  /// The ratio is farther from 1 than its spread.
  [[nodiscard]] bool differs() const;
};

struct Comparison {
  int rounds = 0;
  std::string a;  ///< its build
  std::string b;
  std::vector<Compared> rows;
  std::vector<std::string> left_out;  ///< rows that are not in every file
};

/// `files`: a1, b1, a2, b2, ...: what A found in the first round, then B, and so on.
/// @throws std::runtime_error where they are fewer than three of each, files of one side are of
/// several builds, units differ, or a figure is not above zero
Comparison compare(const std::vector<Results>& files);

/// As lines: the builds, a line a row, which rows differ.
std::string text_of(const Comparison& comparison);

}  // namespace foretrain::bench
