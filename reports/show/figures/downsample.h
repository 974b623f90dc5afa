// Downsampling of lines; the extent of their axes.
#pragma once

#include "reports/show/figures/figure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  /// Whether no number was added.
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

/// Downsamples a line, a trace or points to about `most` points (4 or more): the first, the last,
/// and the lowest and the highest of each of equal stretches between them, so that extremes remain.
/// Points with unknown y are removed. Other marks are unchanged, since none of them can stand for
/// its neighbours.
Series thinned(Series series, std::size_t most);

/// Downsamples the lines of a figure to `most` points together; short ones keep all of theirs.
Figure thinned(Figure figure, std::size_t most);

/// Number of points of all series.
std::size_t points_of(const Figure& figure);

}  // namespace foretrain
