// How far the times of a forecast can be from a measurement.
#pragma once

#include "reports/record/record.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

/// Nine of ten measurements of a time are expected between `low` and `high` times its forecast.
struct ForecastRange {
  double low = 1;
  double high = 1;

  /// Half the width, as a share: forecasts that differ by less are no different.
  [[nodiscard]] double error() const { return (high - low) / 2; }
  /// Two forecast times (costs, rates) are no different.
  [[nodiscard]] bool same(double one, double other) const {
    return std::abs(one - other) <= error() * std::max(one, other);
  }
};

/// Of a simulation; of a run, whose times are measured, 1 and 1.
ForecastRange forecast_range(const Record& record);

}  // namespace foretrain
