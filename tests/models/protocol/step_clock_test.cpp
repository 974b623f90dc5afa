// The phases of a step, from the instants at which they end.
#include "models/protocol/step_clock.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

namespace foretrain {
namespace {
using namespace literals;

Duration sum(const Phases& p) {
  return p.compute + p.push + p.wait + p.apply + p.pull + p.evaluate;
}

Phases step(Duration wait, Duration apply, Bytes pushed, Bytes received) {
  StepClock clock;
  clock.start({5'000});
  clock.computed(Instant{5'000} + 10_us);
  clock.pulled(Instant{5'000} + 30_us, wait, apply, pushed, received);
  return clock.report({3}, 0, 0).phases;
}

TEST_CASE("step clock: what the server does not account for is push and pull, by their bytes") {
  const Phases phases = step(8_us, 4_us, {300}, {100});
  CHECK(phases.compute == 10_us);
  CHECK(phases.wait == 8_us);
  CHECK(phases.apply == 4_us);
  CHECK(phases.push == 6_us);
  CHECK(phases.pull == 2_us);
  CHECK(phases.evaluate == Duration{});
}

TEST_CASE("step clock: a server that claims more than passed does not make a phase negative") {
  const Phases longer = step(8_us, 40_us, {300}, {100});
  CHECK(longer.apply == 12_us);
  CHECK(longer.push == Duration{});
  CHECK(longer.pull == Duration{});
  CHECK(sum(longer) == 30_us);
  const Phases waiting = step(40_us, 4_us, {300}, {100});
  CHECK(waiting.wait == 20_us);
  CHECK(waiting.apply == Duration{});
  const Phases negative = step(Duration{-5}, 4_us, {1}, {1});
  CHECK(negative.wait == Duration{});
  CHECK(sum(negative) == 30_us);
}

TEST_CASE("step clock: nothing moved, nothing is divided by zero") {
  CHECK(step({}, {}, {0}, {0}).pull == 20_us);
}

TEST_CASE("step clock: a clock that goes back makes no phase negative") {
  StepClock clock;
  clock.start({50});
  clock.computed({50});
  clock.pulled({40}, 3_ns, 4_ns, {1}, {1});
  CHECK(clock.report({0}, 0, 0).phases == Phases{});
}

TEST_CASE("step clock: the longest time there is can be divided") {
  StepClock clock;
  clock.start({});
  clock.computed({});
  const Instant end{std::numeric_limits<std::int64_t>::max()};
  clock.pulled(end, {}, {}, {1}, {0});
  CHECK(clock.report({0}, 0, 0).phases.push == end - Instant{});
}

TEST_CASE("step clock: a gradient that stood still for values computes less and pulls more") {
  StepClock clock;
  clock.start({});
  clock.stalled(3_us);
  clock.stalled(1_us);
  clock.computed(Instant{} + 10_us);
  clock.pulled(Instant{} + 12_us, {}, {}, {1}, {1});
  const Phases phases = clock.report({0}, 0, 0).phases;
  CHECK(phases.compute == 6_us);
  CHECK(phases.push == 1_us);
  CHECK(phases.pull == 5_us);
  CHECK(sum(phases) == 12_us);
  clock.start(Instant{} + 12_us);
  clock.computed(Instant{} + 20_us);
  CHECK(clock.report({1}, 0, 0).phases.compute == 8_us);  // nothing remains of the previous step
}

}  // namespace
}  // namespace foretrain
