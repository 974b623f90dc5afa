// The finding of a sweep: the best case with its margin.
#pragma once

#include "reports/studies/result/result.h"
#include "reports/studies/sweep/sweep_table.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// The case, or the tied cases, that answer a sweep's question.
struct SweepBest {
  const char* figure = "";        ///< figure that is compared: kBareTimeToTarget, kBareRate
  std::vector<std::size_t> rows;  ///< the best; several if they tie; none if no case has the figure

  [[nodiscard]] bool has(std::size_t row) const;
  [[nodiscard]] bool tie() const { return rows.size() > 1; }
};

/// Measured cases tie if they differ by less than this share, forecasts if they differ by less than
/// their error.
inline constexpr double kTie = 1e-3;

/// The least time to the target if trainings have one; else the most examples/s.
SweepBest best_of(const SweepTable& sweep);

/// A figure by which cases are compared.
struct SweepMetric {
  const char* key;
  const char* title;  ///< of a chart
  const char* label;  ///< of its axis
  const char* column;
  double factor;
  bool brief;  ///< also shown in a terminal
};
/// All metrics, the most important first.
std::span<const SweepMetric> sweep_metrics();
/// The figure of a completed row, times the metric's factor.
std::optional<double> figure_of(const SweepTable::Row& row, const SweepMetric& metric);

/// The finding in a sentence with its figures: `Of 8 cases workers=8 is the fastest, 10,512
/// examples/s ± 11 %, 6.77 times as fast as workers=1, at an efficiency of 0.85.`
std::string sweep_sentence(const SweepTable& sweep);

/// The sentence, then a row for each case, with the best marked. More than kBriefRows rows are
/// sorted by the figure of the best. `stands_on`: bases of the forecasts.
Result sweep_result(const SweepTable& sweep, const std::vector<std::string>& stands_on);

}  // namespace foretrain
