// What records say of the cores, from probes that were made up.
#include "reports/record/core_state.h"

#include "tests/reports/support.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {
using namespace testing;

CoreProbe probe(double alone_s, double together_s, CoreDistance distance) {
  return {alone_s, together_s, 12e-9, 30e-9, 0.013e-9, distance};
}

/// On one core, or on one each.
Record on_cores(Mode mode, int second_core) {
  Record record = small_record(mode, "sync");
  REQUIRE(record.nodes.size() > 1);
  for (NodeTotals& node : record.nodes) node.core = 0;
  record.nodes[1].core = second_core;
  return record;
}

Record calibrated(int second_core) {
  Record record = on_cores(Mode::simulate, second_core);
  record.calibrated.alone = {{10'000'000}, {9'000'000}, {12'000'000}};
  record.calibrated.together = {{20'000'000}, {19'900'000}, {20'100'000}};
  record.calibrated.loopback_distance = "far";
  return record;
}

}  // namespace

TEST_CASE("core state: a run is as far apart as both looks say") {
  Record run = on_cores(Mode::run, 1);
  CHECK_FALSE(core_distance(run));
  run.probes = {probe(0.01, 0.02, CoreDistance::near), probe(0.01, 0.02, CoreDistance::near)};
  CHECK(core_distance(run) == CoreDistance::near);
  run.probes[1].distance = CoreDistance::far;
  CHECK(core_distance(run) == CoreDistance::mixed);
  CHECK(core_distance(calibrated(1)) == CoreDistance::far);
}

TEST_CASE("core state: drift is the mean of both looks over the median of calibration") {
  Record run = on_cores(Mode::run, 0);
  CHECK_FALSE(drift_between(run, calibrated(0)));
  run.probes = {probe(0.011, 0.05, CoreDistance::near), probe(0.013, 0.05, CoreDistance::near)};
  CHECK_FALSE(drift_between(run, on_cores(Mode::simulate, 0)));
  CHECK(drift_between(run, calibrated(0)).value() == Approx(1.2));
}

TEST_CASE("core state: nodes on several cores are judged by all of them at once") {
  Record run = on_cores(Mode::run, 1);
  run.probes = {probe(0.01, 0.03, CoreDistance::near), probe(0.01, 0.03, CoreDistance::near)};
  CHECK(drift_between(run, calibrated(1)).value() == Approx(1.5));
  CHECK(reference_s(run, run.probes[0]) == 0.03);
  CHECK(reference_s(on_cores(Mode::run, 0), run.probes[0]) == 0.01);
}

TEST_CASE("core state: a machine that wandered while it was calibrated gives a range") {
  const SpeedRange alone = speed_range(calibrated(0));
  CHECK(alone.low == Approx(0.9));
  CHECK(alone.high == Approx(1.2));
  // All its cores at once kept within 1 %.
  CHECK(speed_range(calibrated(1)).low == 1);
  CHECK(speed_range(calibrated(1)).high == 1);
  CHECK(speed_range(on_cores(Mode::simulate, 0)).high == 1);
}

}  // namespace foretrain
