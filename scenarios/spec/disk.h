// What checkpoints cost on the disk of a machine.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain {

/// What a node's part of a checkpoint takes on a disk, all together: its state is copied, hashed,
/// written, forced to the disk, moved to its place.
///
///     write_latency + bytes / write_rate
struct DiskCost {
  BytesPerSecond write_rate{};  ///< 0: nobody measured the disk
  Duration write_latency{};     ///< of a part, beside its bytes

  [[nodiscard]] bool known() const { return write_rate.value > 0; }
  /// Of a part of so many bytes, on a disk that is known.
  [[nodiscard]] Duration of(Bytes size) const {
    return transfer_time(size, write_rate) + write_latency;
  }
  bool operator==(const DiskCost&) const = default;
};

/// Where nobody says what a disk takes: a fast one's, of a virtual machine of 2026.
inline constexpr DiskCost kAssumedDisk{{600e6}, {3'000'000}};

}  // namespace foretrain
