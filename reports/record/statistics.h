// Statistics of small sets of figures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace foretrain {

/// The `p`-quantile (p from 0 to 1) of `values`, interpolated linearly between the two nearest
/// values (Hyndman and Fan 1996, type 7). Empty if there are no values.
std::optional<double> quantile(std::vector<double> values, double p);

/// The middle value, or the mean of the two in the middle.
std::optional<double> median(std::vector<double> values);

/// Half the interquartile range over the median. Empty below two values, or if the median is zero.
std::optional<double> relative_spread(const std::vector<double>& values);

/// The two-sample Kolmogorov-Smirnov statistic: the largest vertical distance between the empirical
/// distribution functions of `a` and `b`, 0 to 1. Empty if one of them has no values.
std::optional<double> kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

/// Agreement of two rankings of the same items: Kendall's rank correlation with correction for
/// ties, tau-b (Kendall 1945).
class RankAgreement {
 public:
  /// Adds a pair of items: 1 if a ranking puts the first item ahead, -1 if the second, 0 for a tie.
  void add(int by_one, int by_other);
  /// 1 if both rankings order all pairs alike, -1 if all are opposite. Empty if one has only ties.
  [[nodiscard]] std::optional<double> tau() const;

 private:
  std::int64_t agreed_ = 0;  // concordant minus discordant pairs
  std::int64_t apart_by_one_ = 0;
  std::int64_t apart_by_other_ = 0;
};

}  // namespace foretrain
