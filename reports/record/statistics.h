// Medians of small sets of figures.
#pragma once

#include <optional>
#include <vector>

namespace foretrain {

/// The value below which a share `p` (0 to 1) of `values` lies, interpolated linearly between the
/// two nearest (Hyndman and Fan 1996, type 7). Empty where there are no values.
std::optional<double> quantile(std::vector<double> values, double p);

/// The middle value, or the mean of the two in the middle.
std::optional<double> median(std::vector<double> values);

/// Half the interquartile range over the median: how far the middle half of `values` lies from it.
/// Empty below two values, or where the median is zero.
std::optional<double> relative_spread(const std::vector<double>& values);

}  // namespace foretrain
