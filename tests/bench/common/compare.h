// Comparison of two builds by alternating benchmark results.
#pragma once

#include "tests/bench/common/bench_result.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// A row that both builds have.
struct Compared {
  std::string name;
  std::string unit;
  double a = 0;  ///< median over the rounds
  double b = 0;
  double ratio = 0;   ///< of the medians: how many times better B is
  double spread = 0;  ///< half the range of the ratios, one per round
  /// Whether the ratio differs from 1 by more than its spread.
  [[nodiscard]] bool differs() const;
};

struct Comparison {
  int rounds = 0;
  std::string a;  ///< name of the build
  std::string b;
  std::vector<Compared> rows;
  std::vector<std::string> left_out;  ///< rows that some file lacks
};

/// `files`: a1, b1, a2, b2, ...: the results of A in the first round, then of B, and so on.
/// @throws std::runtime_error if there are fewer than three of each, files of one side come from
/// several builds, units differ, or a figure is not above zero
Comparison compare(const std::vector<Results>& files);

/// As text: the builds, a line per row, the rows that differ.
std::string text_of(const Comparison& comparison);

}  // namespace foretrain::bench
