// Order statistics by partial sorting, rank correlation by counting pairs.
#include "reports/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

/// Share of `sorted` that is at most `value`.
double share_up_to(const std::vector<double>& sorted, double value) {
  const auto end = std::ranges::upper_bound(sorted, value);
  return static_cast<double>(end - sorted.begin()) / static_cast<double>(sorted.size());
}

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

void RankAgreement::add(int by_one, int by_other) {
  agreed_ += by_one * by_other;
  apart_by_one_ += by_one != 0 ? 1 : 0;
  apart_by_other_ += by_other != 0 ? 1 : 0;
}

std::optional<double> RankAgreement::tau() const {
  if (apart_by_one_ == 0 || apart_by_other_ == 0) return std::nullopt;
  return static_cast<double>(agreed_) / (std::sqrt(static_cast<double>(apart_by_one_)) *
                                         std::sqrt(static_cast<double>(apart_by_other_)));
}

}  // namespace foretrain
