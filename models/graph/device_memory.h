// The memory that a worker's device needs.
#pragma once

#include "models/base/quantity.h"
#include "models/protocol/training.h"

#include <cstdint>

namespace foretrain {

/// Inputs of the count that `Training` does not have.
struct DeviceNeeds {
  std::int64_t parameters = 0;  ///< of the whole network
  int number_bytes = 4;         ///< of a parameter, of a gradient
  bool master_weights = true;   ///< below 4 bytes, updates use a copy in 32 bits
  bool replicated = false;      ///< each worker updates all parameters (`shard: none`)
  Bytes activations{};
};

/// The memory of the device of worker 0. With P parameters, b bytes each, N workers, s values of
/// optimizer state, K = 4 s + 4 with master weights (12 for Adam), ZeRO's closed forms
/// (Rajbhandari, Rasley, Ruwase, He 2020):
///
///     shard         parameters   gradients   optimizer
///     none          b P          b P         K P
///     optimizer     b P          b P         K P / N
///     gradients     b P          b P / N     K P / N      + gradients of two stages
///     parameters    b P / N      b P / N     K P / N      + parameters, gradients of two stages
///
/// with workers of a group in place of N, if parameters are sharded within groups. Realism: no
/// fragmentation of an allocator, which takes 5 to 10 % where sizes vary.
struct DeviceMemory {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes base{kDeviceBase};  ///< libraries, their buffers
  Bytes capacity{};         ///< 0: not known

  /// Assumed: a context of CUDA with its kernels takes 0.3 to 0.6 GB, NCCL's buffers the rest.
  static constexpr std::int64_t kDeviceBase = 1'000'000'000;

  [[nodiscard]] Bytes total() const {
    return parameters + gradients + optimizer + activations + base;
  }
  [[nodiscard]] bool fits() const { return capacity.value == 0 || total() <= capacity; }
  bool operator==(const DeviceMemory&) const = default;
};

/// In GiB, as the memory of devices is sold.
constexpr double in_gib(Bytes bytes) { return static_cast<double>(bytes.value) / (1 << 30); }

DeviceMemory device_memory(const Training& training, const DeviceNeeds& needs);

/// Bytes that the update of a parameter moves in a device's memory, relative to what an update of
/// the same bytes of 32-bit parameters moves (apply_cost): the optimizer works in 32 bits.
double update_bytes_ratio(const Training& training, const DeviceNeeds& needs);

}  // namespace foretrain
