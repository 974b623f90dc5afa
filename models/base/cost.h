// The counted cost of a piece of work, the same on every machine.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

namespace foretrain {

/// What a job costs on any machine: operations, and bytes moved to and from memory. Of a layer that
/// is known by a profile alone nothing can be counted: it costs the time that somebody's device
/// took, which has the same place here, so that whatever adds up costs adds up profiles, too.
struct Cost {
  Flops flops;
  Bytes bytes;
  Duration measured{};  ///< of a profile's layers

  friend Cost operator+(Cost a, Cost b) {
    return {a.flops + b.flops, a.bytes + b.bytes, a.measured + b.measured};
  }
};

}  // namespace foretrain
