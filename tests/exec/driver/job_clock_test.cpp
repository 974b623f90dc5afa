// What jobs take of their core: the thread's time, with what handing them over costs.
#include "exec/driver/job_clock.h"

#include <catch2/catch.hpp>

#include <thread>

namespace foretrain::exec {
namespace {
using namespace literals;

JobClock::Clock::time_point ago(Duration passed) {
  return JobClock::Clock::now() - std::chrono::nanoseconds(passed.ns);
}

TEST_CASE("job clock: a lap is CPU time, so sleep is no part of it") {
  JobClock clock;
  clock.lap();
  const auto begin = JobClock::Clock::now();
  while (JobClock::Clock::now() - begin < std::chrono::milliseconds(2)) {
  }
  const Duration worked = clock.lap();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(clock.lap() < worked + 10_ms);
  CHECK(worked.ns > 0);
}

TEST_CASE("job clock: handing over counts, waiting for others does not") {
  // The clock goes on while this is checked: what it says of a job that has just been asked for is
  // at least nothing, and at most what handing over can take.
  const auto in_bounds = [](Duration told) {
    return told >= 100_s && told <= 100_s + JobClock::kLongestHandover;
  };
  JobClock clock;
  CHECK(clock.handed_over(ago(600_s), 100_s, true) == 100_s);
  CHECK(in_bounds(clock.handed_over(ago(100_s), 100_s, true)));
  CHECK(in_bounds(clock.handed_over(ago(900_s), 100_s, true)));
}

TEST_CASE("job clock: a job that waited in line says nothing of handing over") {
  JobClock clock;
  CHECK(clock.handed_over(ago(100_s), 100_s, false) == 100_s);
}

TEST_CASE("job clock: a job on the loop that was interrupted is not known") {
  CHECK(JobClock::on_loop(ago(2_s)) == Duration{});
  // In the future, so that no interruption here makes it too long.
  CHECK(JobClock::on_loop(JobClock::Clock::now() + std::chrono::hours(1)) != Duration{});
}

}  // namespace
}  // namespace foretrain::exec
