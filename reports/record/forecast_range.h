// How far the times of a forecast can be from a measurement.
#pragma once

#include "reports/record/record.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

/// Two forecasts for the same machine that differ by a smaller share are no different.
inline constexpr double kForecastsApart = 0.1;

/// Nine of ten measurements of a time are expected between `low` and `high` times its forecast.
struct ForecastRange {
  double low = 1;
  double high = 1;
  /// kForecastsApart of a forecast, 0 of a run. The machine's speed of the moment is in both of two
  /// forecasts, so this is less than `error()`.
  double apart = 0;

  /// Half the width, as a share.
  [[nodiscard]] double error() const { return (high - low) / 2; }
  /// A forecast cannot tell whether a measured value will be above `bound` or below it.
  [[nodiscard]] bool close(double forecast, double bound) const {
    return std::abs(forecast - bound) <= error() * std::max(forecast, bound);
  }
  /// Two forecasts (times, costs, rates) are no different.
  [[nodiscard]] bool same(double one, double other) const {
    return std::abs(one - other) <= apart * std::max(one, other);
  }
};

/// The range of a simulation. A run is measured: its range is 1 to 1.
ForecastRange forecast_range(const Record& record);

}  // namespace foretrain
