// Order statistics by partial sorting, ranks by comparing all with all.
#include "reports/record/statistics.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace foretrain {
namespace {

/// Share of `sorted` that is at most `value`.
double share_up_to(const std::vector<double>& sorted, double value) {
  const auto end = std::ranges::upper_bound(sorted, value);
  return static_cast<double>(end - sorted.begin()) / static_cast<double>(sorted.size());
}

int sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

std::optional<double> quantile(std::vector<double> values, double p) {
  if (values.empty()) return std::nullopt;
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  if (below + 1 == values.size()) return *at;
  const double next = *std::min_element(at + 1, values.end());
  const double share = place - static_cast<double>(below);
  return share == 0 ? *at : *at * (1 - share) + next * share;
}

std::optional<double> median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

std::optional<double> relative_spread(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double middle = *median(values);
  if (middle == 0) return std::nullopt;
  return (*quantile(values, 0.75) - *quantile(values, 0.25)) / 2 / std::abs(middle);
}

std::optional<double> kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  std::ranges::sort(a);
  std::ranges::sort(b);
  double largest = 0;
  for (const std::vector<double>* steps : {&a, &b}) {
    for (const double value : *steps) {
      largest = std::max(largest, std::abs(share_up_to(a, value) - share_up_to(b, value)));
    }
  }
  return largest;
}

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  FT_CHECK_OP(a.size(), ==, b.size());
  std::int64_t agreed = 0;  // concordant pairs less discordant ones
  std::int64_t apart_in_a = 0;
  std::int64_t apart_in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int in_a = sign(a[i] - a[j]);
      const int in_b = sign(b[i] - b[j]);
      agreed += in_a * in_b;
      apart_in_a += in_a != 0 ? 1 : 0;
      apart_in_b += in_b != 0 ? 1 : 0;
    }
  }
  if (apart_in_a == 0 || apart_in_b == 0) return std::nullopt;
  return static_cast<double>(agreed) /
         (std::sqrt(static_cast<double>(apart_in_a)) * std::sqrt(static_cast<double>(apart_in_b)));
}

}  // namespace foretrain
