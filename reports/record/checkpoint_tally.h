// What the checkpoints of a training come to.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace foretrain {

/// Adds up the states that nodes have kept; those of a cut count when all nodes have.
class CheckpointTally {
 public:
  explicit CheckpointTally(std::size_t nodes) : nodes_(nodes) {}

  /// A node has kept its state at a cut, of so many bytes; it took so long. True: it was the last.
  bool add(std::int64_t cut, Bytes size, Duration took);
  /// Cuts that not all nodes have kept yet will be made anew.
  void give_up() { under_way_.clear(); }
  [[nodiscard]] const CheckpointTotals& totals() const { return totals_; }

 private:
  struct Cut {
    std::size_t parts = 0;
    Bytes size;
    Duration took;  // of the slowest
  };

  std::size_t nodes_;
  std::map<std::int64_t, Cut> under_way_;
  CheckpointTotals totals_;
};

}  // namespace foretrain
