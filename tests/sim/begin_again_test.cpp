// The cost of losing an indispensable node: closed forms.
#include "scenarios/resolve/faults.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

// Twenty steps of 1 s; server0 dies in the eleventh and is back 5 s later.
Case waited_for_case(const std::string& strategy = "sync") {
  Case scenario_case = star_case(strategy, 2, 20, 1_s);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.rejoin_limit = 60_s;
  scenario.faults = {{.at = 10'500_ms, .kill = "server0", .restart_after = 5_s}};
  return scenario_case;
}

TEST_CASE("begin again: without checkpoints it costs what was done and the wait") {
  Case scenario_case = waited_for_case();
  scenario_case.scenario.faults[0].kill = GENERATE("server0", "worker0", "worker1");
  const Record record = simulate(scenario_case);
  CAPTURE(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.time.seconds() == Approx(20 + 10.5 + 5).epsilon(1e-4));
  CHECK(record.restarts.count == 1);
  CHECK(record.restarts.lost_steps == 20);
  CHECK(record.restarts.lost.seconds() == Approx(10.5));
  CHECK(record.restarts.down.seconds() == Approx(5));
  CHECK(record.gradients == 40);
  CHECK(record.steps.size() == 40);
}

TEST_CASE("begin again: with checkpoints it goes on from the newest one") {
  Case scenario_case = waited_for_case();
  scenario_case.scenario.checkpoint.every.steps = 4;
  scenario_case.scenario.checkpoint.write_latency = 0_ms;
  scenario_case.scenario.checkpoint.write_rate = {1e15};
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.time.seconds() == Approx(20 + 2.5 + 5).epsilon(1e-4));
  // A worker saves its state before it reports the step that ends there: 10 are reported, 7 of them
  // saved.
  CHECK(record.restarts.lost_steps == 6);
  CHECK(record.steps.size() == 40);
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {};
  options.summary_only = true;
  CHECK(simulate(scenario_case, options).restarts == record.restarts);
}

TEST_CASE("begin again: a second death costs as much again, one that passed meanwhile nothing") {
  Case scenario_case = waited_for_case();
  auto& faults = scenario_case.scenario.faults;
  faults.push_back({.at = 12_s, .kill = "worker0", .restart_after = 1_s});  // nobody is there
  faults.push_back({.at = 18_s, .kill = "worker0", .restart_after = 1_s});
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.restarts.count == 2);
  CHECK(record.time.seconds() == Approx(18 + 1 + 20).epsilon(1e-4));
}

TEST_CASE("begin again: who is away for as long as others wait is not back in time") {
  Case scenario_case = waited_for_case();
  scenario_case.scenario.training.rejoin_limit = 5_s;
  const Record record = simulate(scenario_case);
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.failure ==
        "server0 was killed at 10.5 s, as faults: says, and did not come back within "
        "training.rejoin_limit of 5 s");
}

TEST_CASE("begin again: a worker that the others can do without is no reason to") {
  Case scenario_case = waited_for_case("async");
  scenario_case.scenario.faults[0].kill = "worker1";
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.restarts.count == 0);
  CHECK(record.nodes[1].away.size() == 1);
  scenario_case.scenario.faults[0].kill = "worker0";
  CHECK(simulate(scenario_case).restarts.count == 1);
}

}  // namespace
}  // namespace foretrain::testing
