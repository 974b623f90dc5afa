// The exposed phases of a worker's step, from the instants at which they end.
#pragma once

#include "models/protocol/node.h"

namespace foretrain {

/// Splits what passed between a push and the last reply: the server says how long the push waited
/// and was applied; the rest was spent on the wire, split between push and pull by their bytes.
/// Every part stays between zero and what is left, so the phases add up to the step.
class StepClock {
 public:
  void start(Instant now) {
    start_ = now;
    stalled_ = {};
    phases_ = {};
  }
  /// The gradient waited for values of the step before, once it had begun: counts as pull.
  void stalled(Duration time) { stalled_ = stalled_ + time; }
  void computed(Instant now) {
    computed_ = now;
    phases_.compute = now - start_ - stalled_;
    phases_.pull = stalled_;
  }
  void pulled(Instant now, Duration wait, Duration apply, Bytes pushed, Bytes received);
  void applied(Instant now) { phases_.apply = now - computed_; }
  void evaluated(Duration took) { phases_.evaluate = took; }

  void write(StateWriter& state) const;
  void read(StateReader& state);
  /// Integers that it writes.
  static constexpr std::int64_t kStateIntegers = 4;

  /// The step as it is reported.
  [[nodiscard]] StepReport report(Step step, std::int64_t staleness, double loss) const {
    return {step, start_, phases_, staleness, loss};
  }

 private:
  Instant start_;
  Instant computed_;
  Duration stalled_;
  Phases phases_;
};

}  // namespace foretrain
