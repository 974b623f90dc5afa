// The cost of a checkpoint on a machine's disk.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain {

/// The time that a node takes to store its part of a checkpoint: copy the state, hash it, write it,
/// force it to the disk, move the file to its place.
///
///     write_latency + bytes / write_rate
struct DiskCost {
  BytesPerSecond write_rate{};  ///< 0: not measured
  Duration write_latency{};     ///< fixed time per part

  [[nodiscard]] bool known() const { return write_rate.value > 0; }
  /// The time for a part of `size` bytes; the disk has to be known.
  [[nodiscard]] Duration of(Bytes size) const {
    return transfer_time(size, write_rate) + write_latency;
  }
  bool operator==(const DiskCost&) const = default;
};

/// Assumed if no disk was measured: a fast disk of a virtual machine in 2026.
inline constexpr DiskCost kAssumedDisk{{600e6}, {3'000'000}};

}  // namespace foretrain
