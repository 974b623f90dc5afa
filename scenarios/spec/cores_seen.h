// How fast the cores of a machine were while it was calibrated.
#pragma once

#include "models/base/time.h"

namespace foretrain {

/// Forecasts of a machine are a range if its speed varies by more than this.
inline constexpr double kWander = 0.05;

/// Times of the reference kernel (exec/system/reference_kernel.h) over a calibration.
struct ReferenceTimes {
  Duration median{};
  Duration fastest{};  ///< 5th percentile
  Duration slowest{};  ///< 95th percentile

  bool operator==(const ReferenceTimes&) const = default;
};

/// The cores while a machine was calibrated.
struct CoresSeen {
  ReferenceTimes alone{};     ///< on one core
  ReferenceTimes together{};  ///< on all cores at once; all 0 if the machine has one core

  [[nodiscard]] bool known() const { return alone.median.ns > 0; }
  bool operator==(const CoresSeen&) const = default;
};

}  // namespace foretrain
