// Long series made short enough to draw.
#pragma once

#include "reports/show/figures/figure.h"

#include <cstddef>

namespace foretrain {

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
