// Area under the ROC curve, from the ranks of scores.
#include "models/base/check.h"
#include "models/losses/losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace foretrain {

double area_under_roc(std::span<const float> scores, std::span<const std::int32_t> labels) {
  FT_CHECK_OP(scores.size(), ==, labels.size());
  std::vector<float> zeros;
  std::vector<float> ones;
  zeros.reserve(scores.size());
  ones.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    FT_CHECK(labels[i] == 0 || labels[i] == 1);
    if (std::isnan(scores[i])) return std::numeric_limits<double>::quiet_NaN();
    (labels[i] == 1 ? ones : zeros).push_back(scores[i]);
  }
  if (zeros.empty() || ones.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(zeros);
  std::ranges::sort(ones);
  // Counted in halves, so that the sum is exact: scores below, plus half of the equal ones.
  std::int64_t halves = 0;
  auto below = zeros.begin();
  auto up_to = zeros.begin();
  for (const float score : ones) {
    while (below != zeros.end() && *below < score) ++below;
    while (up_to != zeros.end() && *up_to <= score) ++up_to;
    halves += (below - zeros.begin()) + (up_to - zeros.begin());
  }
  return 0.5 * static_cast<double>(halves) /
         (static_cast<double>(zeros.size()) * static_cast<double>(ones.size()));
}

}  // namespace foretrain
