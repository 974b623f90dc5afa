// CPU time of jobs, including the cost of handing them over.
#include "exec/driver/job_clock.h"

#include <catch2/catch.hpp>

#include <thread>

namespace foretrain::exec {
namespace {
using namespace literals;

TEST_CASE("job clock: a lap is CPU time, so sleep is no part of it") {
  JobClock clock;
  clock.lap();
  const auto begin = JobClock::Clock::now();
  while (JobClock::Clock::now() - begin < std::chrono::milliseconds(2)) {
  }
  const Duration spent = clock.lap();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(clock.lap() < spent + 10_ms);
  CHECK(spent.ns > 0);
}

TEST_CASE("job clock: handing over counts, waiting for others does not") {
  JobClock clock;
  CHECK(clock.handed_over(900_us, 100_us, true) == 100_us);  // it waited for jobs: unknown
  CHECK(clock.handed_over(112_us, 100_us, true) == 112_us);
  CHECK(clock.handed_over(900_us, 200_us, true) == 212_us);
}

TEST_CASE("job clock: of the last hand-overs the lower quartile counts") {
  JobClock clock;
  for (const Duration beside : {20_us, 4_us, 8_us, 16_us, 12_us, 28_us, 24_us}) {
    clock.handed_over(100_us + beside, 100_us, true);
  }
  CHECK(clock.handed_over(105_us, 100_us, true) == 108_us);  // 4 5 [8] 12 16 20 24 28
  for (int i = 0; i < 16; ++i) clock.handed_over(115_us, 100_us, true);
  CHECK(clock.handed_over(115_us, 100_us, true) == 115_us);  // the first ones are forgotten
}

TEST_CASE("job clock: a job that waited in line says nothing of handing over") {
  JobClock clock;
  CHECK(clock.handed_over(110_us, 100_us, false) == 100_us);
  CHECK(clock.handed_over(112_us, 100_us, true) == 112_us);
  CHECK(clock.handed_over(105_us, 100_us, false) == 112_us);
}

TEST_CASE("job clock: a job on the loop that was interrupted is not known") {
  CHECK(JobClock::on_loop(2_ms) == Duration{});
  CHECK(JobClock::on_loop(3_us) == 3_us);
}

}  // namespace
}  // namespace foretrain::exec
