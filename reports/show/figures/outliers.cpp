// Charts whose few largest values would flatten all others.
#include "reports/record/statistics.h"
#include "reports/show/figures/downsample.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace foretrain {

void spread_outliers(Panel& panel) {
  std::vector<double> values;
  for (const Series& s : panel.series) {
    for (const double y : s.y) {
      if (std::isfinite(y)) values.push_back(y);
    }
  }
  if (values.empty() || *std::ranges::min_element(values) <= 0) return;
  const double most = *std::ranges::max_element(values);
  if (most <= kFlattens * median(std::move(values)).value_or(most)) return;
  panel.logarithmic = panel.log_x() ? Logarithmic::both : Logarithmic::y;
  panel.from_zero = false;
}

}  // namespace foretrain
