#include "exec/launch/failure_detector.h"

#include <algorithm>

namespace foretrain::exec {

bool FailureDetector::look(Instant now, std::uint64_t bytes, std::optional<Duration> had) {
  const bool heard = is_news(bytes);
  const Duration passed = now - looked_.value_or(now);
  looked_ = now;
  heard_ = bytes;
  const Duration counts = std::min(passed, had.value_or(passed));
  silent_ = heard ? Duration{} : silent_ + std::min(counts, interval_of(limit_));
  return silent_ >= limit_;
}

Duration FailureDetector::interval_of(Duration limit) {
  using namespace literals;
  return {std::clamp(limit.ns / 12, (10_ms).ns, (250_ms).ns)};
}

}  // namespace foretrain::exec
