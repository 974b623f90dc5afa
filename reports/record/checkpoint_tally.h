// Totals of the checkpoints of a training.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace foretrain {

/// Adds up the states that nodes have saved. A checkpoint counts once all nodes have saved theirs.
class CheckpointTally {
 public:
  explicit CheckpointTally(std::size_t nodes) : nodes_(nodes) {}

  /// Adds the saved state of one node with its size and duration; true if all nodes have saved.
  bool add(std::int64_t cut, Bytes size, Duration took);
  /// Forgets incomplete checkpoints, which a restart will repeat.
  void give_up() { under_way_.clear(); }
  [[nodiscard]] const CheckpointTotals& totals() const { return totals_; }

 private:
  struct Cut {
    std::size_t parts = 0;
    Bytes size;
    Duration took;  // of the slowest node
  };

  std::size_t nodes_;
  std::map<std::int64_t, Cut> under_way_;
  CheckpointTotals totals_;
};

}  // namespace foretrain
