// Downsampling of lines.
#pragma once

#include "reports/show/figures/figure.h"

#include <cstddef>

namespace foretrain {

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
