// Near or far, told from probes that were made up.
#include "scenarios/core_probe.h"

#include <catch2/catch.hpp>

#include <array>

namespace foretrain {
namespace {

constexpr double kLine_s = 12e-9;  // of the shared cache

CoreDistance of(double handover_s, const KnownHandovers& known = {}) {
  return distance_of({handover_s, 0}, kLine_s, known);
}

CoreProbe seen(std::optional<CoreDistance> distance) {
  CoreProbe probe;
  probe.distance = distance;
  return probe;
}

}  // namespace

TEST_CASE("core distance: a hand-over of a few loads from the shared cache is near") {
  CHECK(of(2 * kLine_s) == CoreDistance::near);
  CHECK(of(0.99 * kFarRatio * kLine_s) == CoreDistance::near);
  CHECK(of(1.01 * kFarRatio * kLine_s) == CoreDistance::far);
  CHECK(of(12 * kLine_s) == CoreDistance::far);
}

TEST_CASE("core distance: where calibration met one mode alone the rule of the cache decides") {
  CHECK(of(30e-9, {{30}, {}}) == CoreDistance::near);
  CHECK(of(150e-9, {{30}, {}}) == CoreDistance::far);
  // The rule of the cache would call that far, which is hardly farther than what was near.
  CHECK(of(70e-9, {{40}, {}}) == CoreDistance::near);
  // Far was all that it met, so what is a fifth of it is near.
  CHECK(of(150e-9, {{}, {150}}) == CoreDistance::far);
  CHECK(of(30e-9, {{}, {150}}) == CoreDistance::near);
}

TEST_CASE("core distance: where calibration met both the nearer one by ratio decides") {
  // A machine on which the rule of the cache would call both near.
  const KnownHandovers known{{16}, {36}};
  CHECK(of(23e-9, known) == CoreDistance::near);
  CHECK(of(25e-9, known) == CoreDistance::far);
  // And one on which it would call both far.
  CHECK(of(70e-9, {{60}, {200}}) == CoreDistance::near);
}

TEST_CASE("core distance: probes that differ are mixed") {
  const auto near = seen(CoreDistance::near);
  const auto far = seen(CoreDistance::far);
  CHECK(distance_over(std::array{near, near}) == CoreDistance::near);
  CHECK(distance_over(std::array{far, far}) == CoreDistance::far);
  CHECK(distance_over(std::array{near, far}) == CoreDistance::mixed);
  CHECK(distance_over(std::array{seen(CoreDistance::mixed), near}) == CoreDistance::mixed);
}

TEST_CASE("core distance: one core is neither near nor far") {
  CHECK_FALSE(distance_over(std::array{seen({}), seen({})}));
  CHECK(distance_over(std::array{seen({}), seen(CoreDistance::far)}) == CoreDistance::far);
}

}  // namespace foretrain
