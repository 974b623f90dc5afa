// What a sweep found: which case is best, by how much.
#pragma once

#include "reports/studies/result/result.h"
#include "reports/studies/sweep/sweep_table.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// The case, or the cases, that a sweep's question asks for.
struct SweepBest {
  const char* figure = "";        ///< by which they are compared: kBareTimeToTarget, kBareRate
  std::vector<std::size_t> rows;  ///< the best; several of them tie; none: no case has the figure

  [[nodiscard]] bool has(std::size_t row) const;
  [[nodiscard]] bool tie() const { return rows.size() > 1; }
};

/// Cases tie that differ by less than the forecast's error, measured ones by less
/// than this share.
inline constexpr double kTie = 1e-3;

/// By the time to the target where trainings have one, the least; else by examples/s, the most.
SweepBest best_of(const SweepTable& sweep);

/// A figure that cases are compared by.
struct SweepMetric {
  const char* key;
  const char* title;  ///< of a chart
  const char* label;  ///< of its axis
  const char* column;
  double factor;
  bool brief;  ///< a terminal shows it, too
};
/// The first one first.
std::span<const SweepMetric> sweep_metrics();
/// The figure of a row that was done, times its factor.
std::optional<double> figure_of(const SweepTable::Row& row, const SweepMetric& metric);

/// The finding in a sentence with its figures: `Of 8 cases workers=8 is the fastest, 10,512
/// examples/s ± 11 %, 6.77 times as fast as workers=1, at an efficiency of 0.85.`
std::string sweep_sentence(const SweepTable& sweep);

/// The sentence, a row a case with the best marked; more than people are shown unasked stand
/// in the order of that figure. `stands_on`: what forecasts do.
Result sweep_result(const SweepTable& sweep, const std::vector<std::string>& stands_on);

}  // namespace foretrain
