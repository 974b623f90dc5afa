// Messages over loopback of probes that are made up.
#include "exec/calibration/loopback.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain::testing {
namespace {
using namespace exec;

TEST_CASE("loopback: messages are told apart by how far apart the cores were") {
  const double far_s = GENERATE(150e-9, 60e-9);
  const bool apart = far_s > 100e-9;  // else none of them is far
  CoreDistance distance = CoreDistance::far;
  Machine machine;
  CoreWatch watch([&distance, far_s] {
    CoreProbe probe;
    probe.alone_s = probe.together_s = 5e-3;
    probe.handover_s = distance == CoreDistance::far ? far_s : 50e-9;
    probe.distance = distance;
    return probe;
  });
  const MessageProbes probes{[] {
                               return OneCore{10e-6, 150e-12, 0.8};
                             },
                             [&distance] {
                               return distance == CoreDistance::far
                                          ? Crossing{13e-6, 300e-12, 310e-12, 0.9}
                                          : Crossing{11e-6, 120e-12, 80e-12, 0.7};
                             },
                             [] {
                               return Waking{100e-6, 70e-6};
                             }};
  const CalibrateOptions options;
  Repeater repeater(machine, options, watch);
  Loopback loopback(repeater, watch, probes, Crossings::kFewest);
  distance = CoreDistance::near;
  loopback.cross();
  loopback.cross();
  loopback.put_into(machine);
  const auto of = [&](const std::string& figure) {
    return std::ranges::count(machine.measurements, figure, &Measurement::figure);
  };
  CHECK(of("loopback, one core, message") == 1);
  CHECK(of("loopback, near, message") == (apart ? 1 : 0));
  CHECK(of("loopback, far, byte sent") == (apart ? 1 : 0));
  CHECK(of("loopback, all, byte sent") == (apart ? 0 : 1));
  CHECK(machine.cores_seen.loopback_distance == "near");
  CHECK(machine.loopback.send.per_item_s == Approx(120e-12));
  CHECK((machine.loopback_far.send_byte_s > 0) == apart);
  if (!apart) return;
  CHECK(machine.loopback_far.send_byte_s == Approx(300e-12));
  CHECK(machine.loopback_far.near_share == Approx(2.0 / 3));  // three far, then twice three near
}

TEST_CASE("loopback: of one core there are no messages between cores") {
  Machine machine;
  CoreWatch watch([] {
    CoreProbe probe;
    probe.alone_s = 5e-3;
    return probe;
  });
  const CalibrateOptions options;
  Repeater repeater(machine, options, watch);
  Loopback loopback(repeater, watch, {[] { return OneCore{10e-6, 150e-12, 0.8}; }, {}, {}}, 3);
  loopback.cross();
  loopback.put_into(machine);
  CHECK(machine.loopback.send.overhead_s == 5e-6);
  CHECK(machine.loopback.handoff == Duration{});
}

}  // namespace
}  // namespace foretrain::testing
