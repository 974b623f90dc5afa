// From the least to the most of some figures.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain {

struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double range() const { return most > least ? most - least : 0; }
  /// No figure was added.
  [[nodiscard]] bool empty() const { return most < least; }
};

}  // namespace foretrain
