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

TEST_CASE("job clock: handing over costs what it does where nothing came between") {
  JobClock clock;
  // The clock goes on while this is checked, by far less than a second.
  const Duration held_up = clock.handed_over(ago(600_s), 100_s);
  CHECK(held_up >= 600_s);
  const Duration quiet = clock.handed_over(ago(105_s), 100_s);
  CHECK(quiet >= 105_s);
  CHECK(quiet < 106_s);
  const Duration held_up_again = clock.handed_over(ago(900_s), 200_s);
  CHECK(held_up_again >= 205_s);
  CHECK(held_up_again < 206_s);
}

TEST_CASE("job clock: a job on the loop that was interrupted is not known") {
  CHECK(JobClock::on_loop(ago(2_s)) == Duration{});
  // In the future, so that no interruption here makes it too long.
  CHECK(JobClock::on_loop(JobClock::Clock::now() + std::chrono::hours(1)) != Duration{});
}

}  // namespace
}  // namespace foretrain::exec
