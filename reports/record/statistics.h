// What small sets of figures come to, each by itself or two beside each other.
#pragma once

#include <optional>
#include <span>
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

/// The largest vertical distance between the empirical distribution functions of `a` and `b`, 0 to
/// 1: the two-sample statistic of Kolmogorov and Smirnov. Empty where either has no values.
std::optional<double> kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

/// Kendall's rank correlation with its correction for ties, tau-b (Kendall 1945), of the pairs
/// a[i], b[i]: 1 where both put them in one order, -1 where in opposite ones. Takes time in the
/// square of their number, which is that of b. Empty where one of the two has no two values that
/// differ.
std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace foretrain
