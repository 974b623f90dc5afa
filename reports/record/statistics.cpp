// Order statistics by partial sorting.
#include "reports/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {

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

}  // namespace foretrain
