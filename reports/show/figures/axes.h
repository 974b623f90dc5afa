// The axes of a panel: range, scale, ticks.
#pragma once

#include "reports/show/figures/figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace foretrain {

struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double range() const { return most > least ? most - least : 0; }
  /// True if no number was added.
  [[nodiscard]] bool empty() const { return most < least; }
};

/// Makes the y axis of a panel of lines logarithmic if its largest value exceeds kFlattens times
/// the median, so that both stay visible. Not if a value is zero or negative.
void spread_outliers(Panel& panel);
inline constexpr double kFlattens = 20;

/// Values of y that the axis can show.
Extent y_extent(const Panel& panel);
/// True if the y axis begins at zero: for bars, or if that leaves less than half of it empty.
bool begins_at_zero(const Panel& panel);
/// A note on the y axis: ` (log scale)`, ` (not from 0)`.
std::string y_note(const Panel& panel);
/// Round numbers for a logarithmic axis; unless it is short, the first and the last enclose it.
std::vector<double> log_ticks(const Extent& extent);

}  // namespace foretrain
