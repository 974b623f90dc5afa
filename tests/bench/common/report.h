// Where the parts of the benchmarks hand in what they found.
#pragma once

#include "tests/bench/common/result.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// A result as one line: name, figure, unit, spread, the peer's figure, the ratio, its goal, note.
std::string line_of(const Result& result);

/// Each result by its goal: work, this program, peer, ratio, goal, with a mark where a goal is
/// missed. Then how many are reached, which had no row.
std::string table_of(const std::vector<Result>& rows);

/// Prints each row as it comes, also down a pipe, keeps all.
class Report {
 public:
  void add(Result result);
  /// What is no figure, but explains some: which BLAS the peer has.
  void remark(const std::string& line);

  [[nodiscard]] const std::vector<Result>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  std::vector<Result> rows_;
  std::vector<std::string> remarks_;
};

}  // namespace foretrain::bench
