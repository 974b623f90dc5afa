#include "models/protocol/step_clock.h"

#include <algorithm>

namespace foretrain {

void StepClock::pulled(Instant now, Duration wait, Duration apply, Bytes pushed, Bytes received) {
  Duration left = now - computed_;
  phases_.wait = std::clamp(wait, Duration{}, left);
  left -= phases_.wait;
  phases_.apply = std::clamp(apply, Duration{}, left);
  left -= phases_.apply;
  const double share = static_cast<double>(pushed.value) /
                       static_cast<double>(std::max<std::int64_t>(1, (pushed + received).value));
  phases_.push = {static_cast<std::int64_t>(static_cast<double>(left.ns) * share)};
  phases_.pull = left - phases_.push + stalled_;
}

}  // namespace foretrain
