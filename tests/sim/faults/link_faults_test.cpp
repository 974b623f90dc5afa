// Cut, slow links: the simulated time equals the computed one.
#include "sim/faults/link_faults.h"

#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

FaultSpec cutting(std::string a, std::string b, Duration at, Duration lasting) {
  return {.at = at, .cut = {std::move(a), std::move(b)}, .lasting = lasting};
}

FaultSpec slowing(std::string node, double to, Duration at, Duration lasting) {
  return {.at = at, .slow = std::move(node), .to = to, .lasting = lasting};
}

// One worker, two steps, messages of 10 ms: it computes until 20 ms, pushes until 30, pulls until
// 40, computes until 60, pushes until 70.
Record of_two_steps(std::vector<FaultSpec> faults) {
  Case scenario_case = star_case("sync", 1, 2, 20_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(10e-3);
  scenario_case.scenario.faults = std::move(faults);
  const Record record = simulate(scenario_case);
  CHECK(record.outcome == Outcome::done);
  return record;
}

void check_time(const Record& record, Duration expected) {
  CAPTURE(record.time.ns);
  CHECK(std::abs((record.time - expected).ns) <= 1'000);
}

TEST_CASE("links: a cut holds up what it meets for as long as it lasts") {
  check_time(of_two_steps({}), 70_ms);
  check_time(of_two_steps({cutting("worker0", "server0", 25_ms, 100_ms)}), 170_ms);
  check_time(of_two_steps({cutting("server0", "worker0", 35_ms, 100_ms)}), 170_ms);
  // Computation continues meanwhile.
  check_time(of_two_steps({cutting("worker0", "server0", 5_ms, 10_ms)}), 70_ms);
  check_time(of_two_steps({cutting("worker0", "server0", 5_ms, 20_ms)}), 75_ms);
}

TEST_CASE("links: a cut one way lets through what the other end sends") {
  const auto one_way = [](const char* from, const char* to, Duration at) {
    FaultSpec fault = cutting(from, to, at, 100_ms);
    fault.one_way = true;
    return of_two_steps({fault});
  };
  check_time(one_way("worker0", "server0", 25_ms), 170_ms);
  // The push arrives; the answer leaves after the cut, at 125 ms.
  check_time(one_way("server0", "worker0", 25_ms), 165_ms);
  // The answer arrives; the next push is delayed from 60 to 135 ms.
  check_time(one_way("worker0", "server0", 35_ms), 145_ms);
}

TEST_CASE("links: of a cut one way that is longer than silence both ends hear") {
  Case scenario_case = star_case("async", 3, 1'000, 20_ms);
  scenario_case.scenario.faults = {cutting("server0", "worker2", 1'010_ms, 60_s)};
  scenario_case.scenario.faults.front().one_way = true;
  const Record record = simulate(scenario_case);
  INFO(record.failure);
  CHECK(record.outcome == Outcome::done);
  CHECK(record.nodes[2].lost == "gave up: the connection to it was lost");
}

TEST_CASE("links: cuts that overlap are one") {
  check_time(of_two_steps({cutting("worker0", "server0", 25_ms, 100_ms),
                           cutting("worker0", "server0", 100_ms, 50_ms)}),
             195_ms);
}

TEST_CASE("links: a slow one takes its share of the time for its share of the rate") {
  // 5 ms of work take 10 ms.
  check_time(of_two_steps({slowing("worker0", 0.5, 25_ms, 10_ms)}), 75_ms);
  check_time(of_two_steps({slowing("server0", 0.5, 25_ms, 10_ms)}), 75_ms);
  // Two at once give a quarter; the server's end is no bottleneck beside the worker's.
  check_time(
      of_two_steps({slowing("worker0", 0.5, 21_ms, 8_ms), slowing("worker0", 0.5, 21_ms, 8_ms)}),
      76_ms);
  check_time(
      of_two_steps({slowing("worker0", 0.5, 21_ms, 8_ms), slowing("server0", 0.5, 21_ms, 8_ms)}),
      74_ms);
  check_time(of_two_steps({slowing("worker0", 0.01, 20_ms, 1_s)}), 1'050_ms + 10_ms);
}

TEST_CASE("links: a cut that is shorter than silence is borne, a longer one is not") {
  const Duration lasting = GENERATE(2'999_ms, 3'001_ms);
  CAPTURE(lasting.ns);
  Case scenario_case = star_case("sync", 2, 100, 20_ms);
  scenario_case.scenario.faults = {cutting("worker1", "server0", 1'010_ms, lasting)};
  const Record record = simulate(scenario_case);
  if (lasting < TrainingSpec{}.silence_limit) {
    CHECK(record.outcome == Outcome::done);
    CHECK(record.time.seconds() == Approx(2 + lasting.seconds() - 0.01).epsilon(1e-6));
  } else {
    CHECK(record.outcome == Outcome::failed);
    CHECK(record.failure == "server0: the connection to it was lost (worker1 noticed)");
  }
}

TEST_CASE("links: async goes on without the worker that is cut off, not without the chief") {
  Case scenario_case = star_case("async", 3, 1'000, 20_ms);
  scenario_case.scenario.faults = {cutting("worker2", "server0", 1'010_ms, 60_s)};
  const Record record = simulate(scenario_case);
  INFO(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.gradients == 3'000);
  CHECK(record.nodes[2].lost == "gave up: the connection to it was lost");
  scenario_case.scenario.faults = {cutting("worker0", "server0", 1'010_ms, 60_s)};
  const Record chief = simulate(scenario_case);
  CHECK(chief.outcome == Outcome::failed);
  CHECK(chief.failure.find("worker0") != std::string::npos);
}

TEST_CASE("links: with slow starts a cut changes no sum") {
  Case scenario_case = small_case("all_reduce", 3, 20);
  HostSpec host;
  host.name = "node";
  host.count = 3;
  host.nic = rate_for(10e-3);
  host.latency = 2_ms;
  host.burst = {20'000};
  host.compute = 5_ms;
  scenario_case.scenario.cluster.hosts = {host};
  const Record plain = simulate(scenario_case);
  scenario_case.scenario.faults = {cutting("worker0", "worker1", 33_ms, 100_ms),
                                   cutting("worker1", "worker2", 50_ms, 70_ms),
                                   slowing("worker2", 0.1, 300_ms, 50_ms)};
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == plain.weights_sha256);
  CHECK(record.time > plain.time + 60_ms);
  Bytes bytes;
  for (std::size_t i = 0; i < 3; ++i) {
    bytes += *record.nodes[i].nic_tx - *plain.nodes[i].nic_tx;
    CHECK(record.nodes[i].tx == plain.nodes[i].tx);
  }
  CHECK(std::abs(bytes.value) <= 10);  // rounding of an aborted message
}

}  // namespace
}  // namespace foretrain::testing
