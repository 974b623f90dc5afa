#include "exec/driver/job_clock.h"

#include "exec/usage/usage.h"

#include <algorithm>

namespace foretrain::exec {
namespace {

Duration passed_since(JobClock::Clock::time_point begin) {
  const auto passed = JobClock::Clock::now() - begin;
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()};
}

}  // namespace

Duration JobClock::lap() {
  const Duration now = thread_cpu_time();
  const Duration passed = now - seen_;
  seen_ = now;
  return passed;
}

Duration JobClock::handed_over(Clock::time_point asked, Duration lap) {
  last_[told_ % kLast] = std::max(Duration{}, passed_since(asked) - lap);
  ++told_;
  const auto known = last_.begin() + static_cast<std::ptrdiff_t>(std::min(told_, kLast));
  return lap + *std::min_element(last_.begin(), known);
}

Duration JobClock::on_loop(Clock::time_point begin) {
  const Duration passed = passed_since(begin);
  return passed < kInterrupted ? passed : Duration{};
}

}  // namespace foretrain::exec
