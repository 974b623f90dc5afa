// Fewer points of a line, its extent, its outliers.
#pragma once

#include "reports/show/figures/figure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

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
  /// No figure was added.
  [[nodiscard]] bool empty() const { return most < least; }
};

/// Makes the y axis of a panel of lines logarithmic where its largest value is more than kFlattens
/// times the median: then both are seen, and none is cut off. Not where a value is zero or less.
void spread_outliers(Panel& panel);
inline constexpr double kFlattens = 20;

/// A line, a trace or points of more than `most` points (4 or more) with about that many of them:
/// in each of equal runs of consecutive points the lowest, the highest, in their order; the first,
/// the last of all. So no extreme is lost. Other marks stay as they are, since none stands for
/// its neighbours; of points without y nothing is left.
Series thinned(Series series, std::size_t most);

/// A figure whose lines share `most` points, the short ones keeping all of theirs.
Figure thinned(Figure figure, std::size_t most);

/// Points of all series.
std::size_t points_of(const Figure& figure);

}  // namespace foretrain
