// When the nodes of a training keep their states, all at the same cut.
#pragma once

#include "models/base/time.h"

#include <cstdint>

namespace foretrain {

/// `checkpoint: every:`, one of the two; neither: never.
struct CheckpointRule {
  std::int64_t steps = 0;  ///< a worker's, between two
  Duration time;           ///< from one that is kept to the next

  [[nodiscard]] bool wanted() const { return steps > 0 || time.ns > 0; }
  bool operator==(const CheckpointRule&) const = default;
};

/// The cuts of a training, as the node that decides them counts. A cut is called by the steps of a
/// worker before it (of asynchronous workers in the mean), so no two have the same name:
///
///     by steps   the first step that ends at or after the next multiple of `steps`
///     by time    the first step that ends after the timer rang; it is armed anew when that cut is
///                kept, so a disk slower than the interval costs time, not memory
class Cuts {
 public:
  explicit Cuts(const CheckpointRule& rule) : rule_(rule) {}

  /// The training goes on from this cut; 0: it begins.
  void begin_at(std::int64_t cut) { last_ = cut; }
  /// The timer that a cut by time waits for is to be armed.
  [[nodiscard]] bool wants_timer() const { return rule_.time.ns > 0; }
  [[nodiscard]] Duration time() const { return rule_.time; }
  void rang() { rang_ = true; }

  /// A cut after `step` is due.
  [[nodiscard]] bool is_due(std::int64_t step) const {
    if (step <= last_) return false;
    return rule_.steps > 0 ? step / rule_.steps > last_ / rule_.steps : rang_;
  }
  /// It is decided.
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
