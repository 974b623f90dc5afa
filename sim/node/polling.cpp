#include "sim/node/polling.h"

#include <algorithm>

namespace foretrain::sim {

void Polling::active(Instant now) {
  if (poll_.ns > 0) {
    const auto taken = [this] { return cpu_->busy(core_) + cpu_->polled(core_); };
    const Duration gap = now - active_;
    if (jobs_ == 0 && !ended_) {
      const Instant woken = std::min(coming_.value_or(now), now);
      const Duration asleep = std::max(Duration{}, woken - (active_ + poll_));
      const Duration left = gap - (taken() - taken_);
      const Duration polled = std::max(Duration{}, std::min(gap - asleep, left));
      cpu_->poll(core_, polled);
      polled_ += polled;
    }
    taken_ = taken();
    coming_.reset();
  }
  active_ = now;
}

}  // namespace foretrain::sim
