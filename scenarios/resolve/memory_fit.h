// Whether a training fits into its devices' memory.
#pragma once

#include "scenarios/resolve/prepared.h"

#include <string>

namespace foretrain {

/// The memory of a counted network's device, with the capacity of the smallest; all 0 for others.
DeviceMemory device_memory(const Prepared& prepared);

/// Why it cannot be tried: `it does not fit: 131 of 80 GiB a device`; empty if it can.
std::string does_not_fit(const Prepared& prepared);

/// The smallest changes with which a training that does not fit would: `shard: parameters,
/// recompute: full, or 16 devices`; empty if none was found. Each is checked by counting.
std::string what_would_fit(const Prepared& prepared);

}  // namespace foretrain
