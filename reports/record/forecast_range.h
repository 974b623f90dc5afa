// The range within which a forecast time is expected to be measured.
#pragma once

#include "reports/record/record.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

/// Forecasts for the same machine are considered equal if they differ by a smaller share.
inline constexpr double kForecastsApart = 0.1;

/// Nine of ten measurements of a time are expected between `low` and `high` times its forecast.
struct ForecastRange {
  double low = 1;
  double high = 1;
  /// kForecastsApart for a forecast, 0 for a run. It is less than `error()` since the current speed
  /// of the machine affects two forecasts alike.
  double apart = 0;

  /// Half the width, as a share.
  [[nodiscard]] double error() const { return (high - low) / 2; }
  /// Whether the forecast is too uncertain to tell if the measurement exceeds `bound`.
  [[nodiscard]] bool close(double forecast, double bound) const {
    return std::abs(forecast - bound) <= error() * std::max(forecast, bound);
  }
  /// Whether two forecasts (times, costs, rates) are considered equal.
  [[nodiscard]] bool same(double one, double other) const {
    return std::abs(one - other) <= apart * std::max(one, other);
  }
};

/// The range of a simulation; 1 to 1 for a run, which is measured.
ForecastRange forecast_range(const Record& record);

}  // namespace foretrain
