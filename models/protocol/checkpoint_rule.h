// The rule for when the nodes of a training save their states, all at the same cut.
#pragma once

#include "models/base/time.h"

#include <cstdint>

namespace foretrain {

/// `checkpoint: every:`: one of the two is set, or neither if checkpoints are off.
struct CheckpointRule {
  std::int64_t steps = 0;  ///< steps of a worker between two checkpoints
  Duration time;           ///< from the end of one checkpoint to the next

  [[nodiscard]] bool wanted() const { return steps > 0 || time.ns > 0; }
  bool operator==(const CheckpointRule&) const = default;
};

/// Counts the cuts (consistent checkpoints) of a training at the node that decides them. The name
/// of a cut is the number of a worker's steps before it (their mean if asynchronous), so names are
/// unique:
///
///     by steps   the first step that ends at or after the next multiple of `steps`
///     by time    the first step that ends after the timer fired; the timer starts again when that
///                cut is saved, so a disk slower than the interval costs time, not memory
class Cuts {
 public:
  explicit Cuts(const CheckpointRule& rule) : rule_(rule) {}

  /// The training continues from this cut; 0 if it begins.
  void begin_at(std::int64_t cut) { last_ = cut; }
  /// Cuts are made by time, so their timer is to be armed.
  [[nodiscard]] bool wants_timer() const { return rule_.time.ns > 0; }
  [[nodiscard]] Duration time() const { return rule_.time; }
  void rang() { rang_ = true; }

  /// A cut after `step` is due.
  [[nodiscard]] bool is_due(std::int64_t step) const {
    if (step <= last_) return false;
    return rule_.steps > 0 ? step / rule_.steps > last_ / rule_.steps : rang_;
  }
  /// The cut is decided.
  void take(std::int64_t step) {
    last_ = step;
    rang_ = false;
  }

 private:
  CheckpointRule rule_;
  std::int64_t last_ = 0;
  bool rang_ = false;
};

}  // namespace foretrain
