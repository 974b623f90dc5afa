// The collected results of benchmarks.
#pragma once

#include "tests/bench/common/bench_result.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// A result as one line: name, figure, unit, spread, the peer's figure, the ratio, its goal, note.
std::string line_of(const Result& result);

/// A table of results with goals: work, this program, peer, ratio, goal, with a mark on missed
/// goals. Then the number of reached goals, and the goals without a row.
std::string table_of(const std::vector<Result>& rows);

/// Prints each row immediately, also into a pipe, and stores all.
class Report {
 public:
  void add(Result result);
  /// Adds a line that explains figures, such as the peer's BLAS.
  void remark(const std::string& line);

  [[nodiscard]] const std::vector<Result>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  std::vector<Result> rows_;
  std::vector<std::string> remarks_;
};

}  // namespace foretrain::bench
