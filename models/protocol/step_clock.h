// The exposed phases of a worker's step, from the instants at which they end.
#pragma once

#include "models/protocol/node.h"

#include <algorithm>
#include <cstdint>

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
  void pulled(Instant now, Duration wait, Duration apply, Bytes pushed, Bytes received) {
    Duration left = std::max(now - computed_, Duration{});  // clocks only go on
    phases_.wait = std::clamp(wait, Duration{}, left);
    left -= phases_.wait;
    phases_.apply = std::clamp(apply, Duration{}, left);
    left -= phases_.apply;
    const double share = static_cast<double>(pushed.value) /
                         static_cast<double>(std::max<std::int64_t>(1, (pushed + received).value));
    const double of_push = static_cast<double>(left.ns) * share;
    const bool all = of_push >= static_cast<double>(left.ns);  // which may be more than an integer
    phases_.push = all ? left : Duration{static_cast<std::int64_t>(of_push)};
    phases_.pull = left - phases_.push + stalled_;
  }
  void applied(Instant now) { phases_.apply = now - computed_; }
  void evaluated(Duration took) { phases_.evaluate = took; }

  /// What ends after the gradient is set when the step ends.
  void write(StateWriter& state) const {
    for (const Instant at : {start_, computed_}) state.time(at);
    for (const Duration time : {stalled_, phases_.compute}) state.time(time);
  }
  void read(StateReader& state) {
    start_ = state.instant();
    computed_ = state.instant();
    stalled_ = state.duration();
    phases_ = {.compute = state.duration()};
  }
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
