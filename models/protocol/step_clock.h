// The exposed phases of a worker's step, from the instants at which they end.
#pragma once

#include "models/protocol/node.h"

#include <algorithm>
#include <cstdint>

namespace foretrain {

/// Splits the time between a push and the last reply: the server reports how long the push waited
/// and how long its apply took; the rest is time on the wire, split between push and pull by their
/// bytes. Each part is limited to between zero and the remainder, so the phases add up to the step.
class StepClock {
 public:
  void start(Instant now) {
    start_ = now;
    stalled_ = {};
    phases_ = {};
  }
  /// The gradient, once begun, waited for values of the step before: counts as pull.
  void stalled(Duration time) { stalled_ = stalled_ + time; }
  void computed(Instant now) {
    computed_ = now;
    phases_.compute = now - start_ - stalled_;
    phases_.pull = stalled_;
  }
  void pulled(Instant now, Duration wait, Duration apply, Bytes pushed, Bytes received) {
    Duration left = std::max(now - computed_, Duration{});  // clocks never go back
    phases_.wait = std::clamp(wait, Duration{}, left);
    left -= phases_.wait;
    phases_.apply = std::clamp(apply, Duration{}, left);
    left -= phases_.apply;
    const double share = static_cast<double>(pushed.value) /
                         static_cast<double>(std::max<std::int64_t>(1, (pushed + received).value));
    const double of_push = static_cast<double>(left.ns) * share;
    const bool all = of_push >= static_cast<double>(left.ns);  // `of_push` may exceed an integer
    phases_.push = all ? left : Duration{static_cast<std::int64_t>(of_push)};
    phases_.pull = left - phases_.push + stalled_;
  }
  void applied(Instant now) { phases_.apply = now - computed_; }
  void evaluated(Duration took) { phases_.evaluate = took; }

  /// Phases that end after the gradient are set when the step ends, so they are not written.
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
  /// The number of integers that `write` writes.
  static constexpr std::int64_t kStateIntegers = 4;

  /// The step as a report.
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
