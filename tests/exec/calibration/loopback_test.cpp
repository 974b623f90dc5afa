// Message costs over loopback from made-up probes.
#include "exec/calibration/loopback.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain::testing {
namespace {
using namespace exec;

TEST_CASE("loopback: messages between two cores are the median of all over the calibration") {
  Machine machine;
  CoreWatch watch([] { return CoreLook{5e-3, 5e-3}; });
  bool slow = true;
  const MessageProbes probes{[] {
                               return OneCore{10e-6, 150e-12, 0.8};
                             },
                             [&slow] {
                               return slow ? Crossing{13e-6, 300e-12, 310e-12, 0.9}
                                           : Crossing{11e-6, 120e-12, 80e-12, 0.7};
                             },
                             [] {
                               return Waking{100e-6, 70e-6};
                             }};
  const CalibrateOptions options;
  Repeater repeater(machine, options, watch);
  Loopback loopback(repeater, watch, probes, 3);
  slow = false;
  loopback.cross();
  loopback.cross();
  loopback.put_into(machine);
  const auto of = [&](const std::string& figure) {
    return std::ranges::count(machine.measurements, figure, &Measurement::figure);
  };
  CHECK(of("loopback, one core, message") == 1);
  CHECK(of("loopback, byte sent") == 1);
  CHECK(machine.loopback.send.per_item_s == Approx(120e-12));  // six of nine
}

TEST_CASE("loopback: of one core there are no messages between cores") {
  Machine machine;
  CoreWatch watch([] { return CoreLook{5e-3, 0}; });
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
