// Event loop or thread: the choice by a job's cost on a nominal core.
#include "models/cost/job_placement.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

Cost cost_of(double flops) {
  Cost cost;
  cost.flops = {flops};
  return cost;
}

// A time of 50 us at 80 GFLOP/s is four million operations.
const Cost kSmall = cost_of(3.99e6);
const Cost kLarge = cost_of(4.01e6);

TEST_CASE("job placement: a job runs on the loop that takes less than 50 us on a nominal core") {
  CHECK(place_of(kSmall, false) == JobPlace::loop);
  CHECK(place_of(kLarge, false) == JobPlace::compute_threads);
}

TEST_CASE("job placement: a job that sleeps never stops the loop") {
  CHECK(place_of(kSmall, true) == JobPlace::one_thread);
  CHECK(place_of(kLarge, true) == JobPlace::compute_threads);
}

TEST_CASE("job placement: bytes count at 40 GB/s and a measured time as it is") {
  Cost moved;
  moved.read.messages = {1'999'999};
  CHECK(place_of(moved, false) == JobPlace::loop);
  moved.read.messages = {2'000'001};
  CHECK(place_of(moved, false) == JobPlace::compute_threads);
  Cost measured;
  measured.measured = {50'001};
  CHECK(place_of(measured, false) == JobPlace::compute_threads);
}

}  // namespace
}  // namespace foretrain
