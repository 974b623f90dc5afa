#include "exec/driver/job_clock.h"

#include "exec/usage/usage.h"

#include <algorithm>

namespace foretrain::exec {

Duration JobClock::lap() {
  const Duration now = thread_cpu_time();
  const Duration passed = now - seen_;
  seen_ = now;
  return passed;
}

Duration JobClock::handed_over(Duration passed, Duration lap, bool at_once) {
  const Duration beside = std::max(Duration{}, passed - lap);
  if (at_once && beside <= kLongestHandover) last_[told_++ % kLast] = beside;
  if (told_ == 0) return lap;
  std::array<Duration, kLast> sorted = last_;
  const std::size_t known = std::min(told_, kLast);
  const auto quartile = sorted.begin() + static_cast<std::ptrdiff_t>(known / 4);
  std::nth_element(sorted.begin(), quartile, sorted.begin() + static_cast<std::ptrdiff_t>(known));
  return lap + *quartile;
}

Duration JobClock::on_loop(Duration passed) { return passed < kInterrupted ? passed : Duration{}; }

Duration JobClock::since(Clock::time_point begin) {
  const auto passed = Clock::now() - begin;
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()};
}

}  // namespace foretrain::exec
