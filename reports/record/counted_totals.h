// Counted figures of a network that is forecast by its shape.
#pragma once

#include "models/graph/device_memory.h"

#include <cstdint>
#include <string>
#include <utility>

namespace foretrain {

/// Figures of a worker, which has a device.
struct CountedTotals {
  std::int64_t parameters = 0;  ///< of the network
  std::int64_t tokens = 0;      ///< of a gradient; 0: it reads images
  double flops = 0;             ///< of a gradient, without what is recomputed
  double peak = 0;              ///< FLOP/s of the slowest device, by its data sheet; 0: not known
  DeviceMemory memory{};        ///< of the device with the least memory
  std::string would_fit{};      ///< changes with which it fits: `recompute: full, or 16 devices`

  bool operator==(const CountedTotals&) const = default;
};

/// The keys of the memory's parts in files.
inline constexpr std::pair<const char*, Bytes DeviceMemory::*> kDeviceMemoryParts[] = {
    {"parameters_bytes", &DeviceMemory::parameters},
    {"gradients_bytes", &DeviceMemory::gradients},
    {"optimizer_bytes", &DeviceMemory::optimizer},
    {"activations_bytes", &DeviceMemory::activations},
    {"base_bytes", &DeviceMemory::base},
    {"capacity_bytes", &DeviceMemory::capacity}};

/// `It fits with shard: optimizer: 61.3 of 80 GiB (parameters 4.0, ...)`; empty if no device says
/// its memory. `shard`: of the training; empty if it has one worker.
std::string memory_sentence(const CountedTotals& counted, const std::string& shard);

}  // namespace foretrain
