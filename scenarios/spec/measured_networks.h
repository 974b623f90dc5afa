// Measured training rates of one device of a host, by network.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "scenarios/spec/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `cluster.hosts[].measured[]` - a row: a single device on an otherwise idle host.
struct MeasuredNetwork {
  std::string network;        ///< same name as in model.profile_network
  int batch_size = 1;         ///< examples a gradient
  double examples_per_s = 0;  ///< training rate, above 0

  bool operator==(const MeasuredNetwork&) const = default;
};

/// The time of a gradient of `batch_size` examples by the rows of `network`, in any order: batch
/// size over examples a second, interpolated as `interpolated` (machine.h) does. Nothing if there
/// is no such row.
///
/// Realism: the measured rate includes that program's launches, input and updates; another program
/// on the same chip differs by 10 % or more.
std::optional<Duration> measured_gradient(const std::vector<MeasuredNetwork>& measured,
                                          const std::string& network, int batch_size);

/// Removes the rows of other networks; all rows if `network` is empty.
void keep_network(std::vector<MeasuredNetwork>& measured, const std::string& network);

/// The rows of `network` for people: `resnet50, 195 examples/s at a batch of 32, 219 at 64`; empty
/// if there are none.
std::string measured_text(const std::vector<MeasuredNetwork>& measured, const std::string& network);

/// The networks of the rows, sorted, each once.
std::vector<std::string> networks_in(const std::vector<MeasuredNetwork>& measured);

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
