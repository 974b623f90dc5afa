// What small sets of figures come to, each by itself or two beside each other.
#pragma once

#include <cstdint>
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

/// The largest vertical distance between the empirical distribution functions of `a` and `b`, 0 to
/// 1: the two-sample statistic of Kolmogorov and Smirnov. Empty where either has no values.
std::optional<double> kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

/// How far two rankings of the same things agree, pair by pair: Kendall's rank correlation with its
/// correction for ties, tau-b (Kendall 1945).
class RankAgreement {
 public:
  /// A pair by the one ranking, by the other: 1: the first of it is ahead, -1: the second; 0: a
  /// tie.
  void add(int by_one, int by_other);
  /// 1 where both put all pairs in one order, -1 where in opposite ones. Empty where one of them
  /// has nothing but ties.
  [[nodiscard]] std::optional<double> tau() const;

 private:
  std::int64_t agreed_ = 0;  // concordant pairs less discordant ones
  std::int64_t apart_by_one_ = 0;
  std::int64_t apart_by_other_ = 0;
};

}  // namespace foretrain
