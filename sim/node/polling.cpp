#include "sim/node/polling.h"

#include <algorithm>

namespace foretrain::sim {

void Polling::active(Instant now) {
  if (poll_.ns > 0) {
    const Duration busy = cpu_.busy(core_);
    const Duration gap = now - active_;
    if (jobs_ == 0 && !ended_) {
      const Duration asleep = std::max(Duration{}, coming_ - (active_ + poll_));
      const Duration awake = coming_ > active_ ? gap - asleep : std::min(gap, poll_);
      polled_ += std::max(Duration{}, std::min(awake, gap - (busy - busy_)));
    }
    busy_ = busy;
  }
  active_ = now;
}

}  // namespace foretrain::sim
