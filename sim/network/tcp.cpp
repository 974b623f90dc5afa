#include "sim/network/tcp.h"

#include <algorithm>

namespace foretrain::sim {

void SlowStart::begin(Instant now) {
  if (round_trip_.ns == 0) {
    full_ = true;
    return;
  }
  const Duration timeout = std::max(kTimeout, round_trip_ * 2);
  for (Instant rest = last_ + timeout; rest <= now && window_ > kFirstWindow;
       rest = rest + timeout) {
    window_ = std::max(window_ / 2, kFirstWindow);
    full_ = false;
  }
  // All that was sent more than a round trip ago is acknowledged.
  if (!full_ && now >= next_round()) {
    round_ = now;
    allowance_ = window_;
  }
}

void SlowStart::sent(double bytes, Instant now) {
  last_ = now;
  if (full_) return;
  allowance_ -= bytes;
  if (allowance_ < 0.5 && now >= next_round()) full_ = true;
}

void SlowStart::begin_round(Instant now) {
  window_ *= 2;
  allowance_ = window_;
  round_ = now;
}

}  // namespace foretrain::sim
