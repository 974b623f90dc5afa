// The values of schedules, by hand.
#include "models/optimizers/schedule.h"

#include "models/base/check.h"
#include "models/optimizers/update.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace foretrain;

TEST_CASE("schedule: constant is one however many the examples") {
  CHECK(rate_factor({}, 0) == 1);
  CHECK(rate_factor({}, 1'000'000'000'000) == 1);
}

TEST_CASE("schedule: step multiplies at every border") {
  const ScheduleSpec step{.kind = "step", .every = 100, .factor = 0.5};
  CHECK(rate_factor(step, 0) == 1);
  CHECK(rate_factor(step, 99) == 1);
  CHECK(rate_factor(step, 100) == 0.5);
  CHECK(rate_factor(step, 299) == 0.25);
  CHECK(rate_factor(step, 300) == 0.125);
}

TEST_CASE("schedule: cosine falls from one to its floor where it stays") {
  const ScheduleSpec cosine{.kind = "cosine", .examples = 600, .floor = 0.2};
  CHECK(rate_factor(cosine, 0) == 1);
  CHECK(rate_factor(cosine, 200) == Approx(0.2 + 0.8 * 0.75).epsilon(1e-14));
  CHECK(rate_factor(cosine, 300) == Approx(0.6).epsilon(1e-15));
  CHECK(rate_factor(cosine, 400) == Approx(0.2 + 0.8 * 0.25).epsilon(1e-14));
  CHECK(rate_factor(cosine, 600) == 0.2);
  CHECK(rate_factor(cosine, 6000) == 0.2);
}

TEST_CASE("schedule: cosine agrees with the C library's to a few units in the last place") {
  const ScheduleSpec cosine{.kind = "cosine", .examples = 1000};
  double worst = 0;
  for (int e = 0; e <= 1000; ++e) {
    const double expected = 0.5 * (1 + std::cos(std::numbers::pi * e / 1000));
    worst = std::max(worst, std::abs(rate_factor(cosine, e) - expected));
  }
  CHECK(worst < 4e-16);
}

TEST_CASE("schedule: the warm-up rises from zero while the schedule counts") {
  ScheduleSpec step{.kind = "step", .warmup = 50, .every = 100, .factor = 0.5};
  CHECK(rate_factor(step, 0) == 0);
  CHECK(rate_factor(step, 10) == 0.2);
  CHECK(rate_factor(step, 50) == 1);
  CHECK(rate_factor(step, 100) == 0.5);
  step.warmup = 200;
  CHECK(rate_factor(step, 150) == 0.5 * 0.75);
}

TEST_CASE("schedule: what cannot be computed is a failed check") {
  CHECK_THROWS_AS(rate_factor({.kind = "step"}, 1), InvariantViolation);
  CHECK_THROWS_AS(rate_factor({.kind = "cosine"}, 1), InvariantViolation);
  CHECK_THROWS_AS(rate_factor({.kind = "linear"}, 1), InvariantViolation);
  CHECK_THROWS_AS(rate_factor({}, -1), InvariantViolation);
}

TEST_CASE("power: whole powers are exact where the result is") {
  CHECK(whole_power(0.5, 0) == 1);
  CHECK(whole_power(0.5, 1074) == 0x1p-1074);
  CHECK(whole_power(3, 13) == 1'594'323);
  CHECK(whole_power(0.999, 100'000) == Approx(std::pow(0.999, 100'000)).epsilon(1e-10));
  CHECK(whole_power(0.9, 1'000'000'000) == 0);
}
