// What the device can do whose times a profile has, so that other devices' times follow.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/spec/machine.h"

namespace foretrain {

/// `model.profile_device:` - by its data sheet.
struct MeasuredDevice {
  double gflops = 0;                  ///< 10^9 operations a second; 0: not described
  BytesPerSecond memory_bandwidth{};  ///< 0: not told

  [[nodiscard]] bool described() const { return gflops > 0; }
  bool operator==(const MeasuredDevice&) const = default;
};

/// How many times as long the times of `measured` are on `device`; 1 where either is not described:
///
///     max(FLOPs a second of measured / of device, bandwidth of measured / of device)
///
/// Realism: a profile does not say which of its layers compute and which move bytes, so all of them
/// gain what the lesser of both gains. Layers that compute gain more; kernels that a device has and
/// the other has not count for nothing.
double time_ratio(const MeasuredDevice& measured, const Roofline& device);

}  // namespace foretrain
