// The counted cost of a piece of work, the same on every machine.
#pragma once

#include "models/base/quantity.h"

namespace foretrain {

/// What a job costs on any machine: operations, and bytes moved to and from memory.
struct Cost {
  Flops flops;
  Bytes bytes;

  friend Cost operator+(Cost a, Cost b) { return {a.flops + b.flops, a.bytes + b.bytes}; }
};

}  // namespace foretrain
