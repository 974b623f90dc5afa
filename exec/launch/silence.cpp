#include "exec/launch/silence.h"

#include <algorithm>

namespace foretrain::exec {

bool Silence::look(Instant now, std::uint64_t bytes) {
  const bool heard = !looked_ || bytes != heard_;
  const Duration passed = now - looked_.value_or(now);
  looked_ = now;
  heard_ = bytes;
  silent_ = heard ? Duration{} : silent_ + std::min(passed, interval_of(limit_));
  return silent_ >= limit_;
}

Duration Silence::interval_of(Duration limit) {
  using namespace literals;
  return {std::clamp(limit.ns / 12, (10_ms).ns, (250_ms).ns)};
}

}  // namespace foretrain::exec
