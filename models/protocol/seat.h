// Which process of a worker counts.
#pragma once

#include <cstdint>
#include <vector>

namespace foretrain {

/// A worker's place at a server: the process that has it, or had it last.
struct Seat {
  std::int64_t generation = 1;
  bool taken = true;  ///< else that process is lost

  /// It has never been lost.
  [[nodiscard]] bool is_first() const { return taken && generation == 1; }
  /// Nothing more comes from this process of the worker, nobody answers it.
  [[nodiscard]] bool is_gone(std::int64_t process) const {
    return process < generation || (process == generation && !taken);
  }
};

using Seats = std::vector<Seat>;  ///< by worker

}  // namespace foretrain
