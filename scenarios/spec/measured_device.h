// The device that a profile was measured on, to scale its times to other devices.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/spec/machine.h"

namespace foretrain {

/// `model.profile_device:` - figures of its data sheet.
struct MeasuredDevice {
  double gflops = 0;                  ///< 10^9 operations a second; 0: not described
  BytesPerSecond memory_bandwidth{};  ///< 0: unknown

  [[nodiscard]] bool described() const { return gflops > 0; }
  bool operator==(const MeasuredDevice&) const = default;
};

/// The factor from times on `measured` to times on `device`; 1 if either is not described:
///
///     max(FLOPs a second of measured / of device, bandwidth of measured / of device)
///
/// Realism: a profile does not say which layers are bound by compute and which by memory, so all
/// layers are scaled by the worse of the two ratios. Layers bound by compute gain more in reality;
/// kernels that only one of the devices has are not modelled.
double time_ratio(const MeasuredDevice& measured, const Roofline& device);

}  // namespace foretrain
