// Devices that are described by their rates, in virtual time, compared with sums by hand.
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

TEST_CASE("described devices: what a device can do says what a gradient takes") {
  Case c = star_case("sync", 2, 10, 1_s);
  HostSpec& host = c.scenario.cluster.hosts.front();
  host.compute.reset();
  host.machine.clear();
  host.devices = 1;
  const auto step_s = [&] {
    sim::SimulateOptions options;
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    return simulate(c, options).time.seconds() / 10;
  };
  host.device = {1, {}, 5_ms};
  const double slow_s = step_s();
  host.device.overhead = {};
  CHECK(slow_s - step_s() == Approx(5e-3).epsilon(0.01));
}

/// The time of a device's update in a step; an update on a core costs nothing here.
double update_s(const std::string& strategy, int workers, const std::string& optimizer) {
  Case c = star_case(strategy, workers, 10, 1_s);
  c.scenario.training.optimizer.name = optimizer;
  HostSpec& host = c.scenario.cluster.hosts.front();
  host.compute.reset();
  host.machine.clear();
  host.devices = 1;
  host.device = {1000, {4e6}, 5_ms};
  const auto step_s = [&] {
    sim::SimulateOptions options;
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    return simulate(c, options).time.seconds() / 10;
  };
  const double without_s = step_s();
  host.device_updates = true;
  return step_s() - without_s;
}

// With 7,850 parameters of 4 bytes at 4 MB/s: 7.85 ms for each read or write of all.
TEST_CASE("described devices: an update takes the time of its bytes where the device makes it") {
  constexpr double kEach_s = 7'850 * 4 / 4e6;
  // The parameters twice, the gradient once; Adam's two slots twice.
  CHECK(update_s("single", 1, "sgd") == Approx(3 * kEach_s).epsilon(1e-4));
  CHECK(update_s("single", 1, "adam") == Approx(7 * kEach_s).epsilon(1e-4));
  // Half of the parameters for each, with the sum of another worker's gradient and its own.
  CHECK(update_s("all_reduce", 2, "sgd") == Approx(4 * kEach_s / 2).epsilon(1e-4));
  // Servers update on cores.
  CHECK(update_s("sync", 2, "sgd") == 0);
}

}  // namespace
}  // namespace foretrain::testing
