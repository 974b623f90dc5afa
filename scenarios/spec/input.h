// The input pipeline of a forecast.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <string>

namespace foretrain {

/// Part of `dataset:` - how a batch reaches its worker: read from a disk, shipped, parsed, one
/// batch after another. By default it costs nothing. `held_size` models a program that holds only
/// the examples of a worker's own share in memory.
struct InputSpec {
  std::string served_by;       ///< host that ships batches to all others; empty: none
  Bytes example_size;          ///< as read and shipped; 0: four bytes per number
  BytesPerSecond read_rate{};  ///< of the reading host's disk; 0: no disk is read
  Duration parse{};            ///< CPU time of an example, on a core of the worker's host
  int prefetch = 1;            ///< batches that are fetched ahead of the computation
  Bytes held_size;             ///< memory per example of the worker's share; 0: as in this program

  [[nodiscard]] bool costs() const {
    return !served_by.empty() || read_rate.value > 0 || parse.ns > 0;
  }
  bool operator==(const InputSpec&) const = default;
};

}  // namespace foretrain
