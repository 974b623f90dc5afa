#include "models/protocol/step_clock.h"

#include <algorithm>

namespace foretrain {

void StepClock::pulled(Instant now, Duration wait, Duration apply, Bytes pushed, Bytes received) {
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

// What ends after the gradient is set when the step ends.
void StepClock::write(StateWriter& state) const {
  state.time(start_);
  state.time(computed_);
  state.time(stalled_);
  state.time(phases_.compute);
}

void StepClock::read(StateReader& state) {
  start_ = state.instant();
  computed_ = state.instant();
  stalled_ = state.duration();
  phases_ = {};
  phases_.compute = state.duration();
}

}  // namespace foretrain
