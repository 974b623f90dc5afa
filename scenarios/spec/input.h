// How the batches of a forecast come to their workers.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <string>

namespace foretrain {

/// In `dataset:` - how a batch comes to its worker: read from a disk, shipped, parsed, each batch
/// after the one before it. By default it is there at no cost. And what another program holds of
/// the data: `held_size` for each example of a worker's own share, instead of all examples.
struct InputSpec {
  std::string served_by;       ///< the host that ships batches to all others; empty: nobody
  Bytes example_size;          ///< as it is read, shipped; 0: its numbers, four bytes each
  BytesPerSecond read_rate{};  ///< of the disk of the host that reads; 0: no disk is read
  Duration parse{};            ///< CPU time of an example, on a core of the worker's host
  int prefetch = 1;            ///< batches that are got while others are computed
  Bytes held_size;             ///< memory of an example of the worker's share; 0: as this program's

  [[nodiscard]] bool costs() const {
    return !served_by.empty() || read_rate.value > 0 || parse.ns > 0;
  }
  bool operator==(const InputSpec&) const = default;
};

}  // namespace foretrain
