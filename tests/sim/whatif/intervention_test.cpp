// The changes that a what-if tries, with their effect on a scenario.
#include "sim/whatif/intervention.h"

#include "sim/whatif/whatif.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

sim::WhatIfOptions made_up_options() {
  sim::WhatIfOptions options;
  options.simulate.machines = [](const std::string&) { return made_up_machine(); };
  return options;
}

WhatIf asked_of(const Case& scenario_case) {
  DataSets data_sets;
  return sim::ask_what_if(prepare(scenario_case, Need::shape), data_sets, made_up_options());
}

double time_with_change(const WhatIf& whatif, const std::string& change) {
  CAPTURE(change);
  const Change* found = whatif.find(change);
  REQUIRE(found != nullptr);
  REQUIRE(found->why_not.empty());
  return found->time_s.value();
}

double simulated_anew(const Scenario& scenario) {
  Case other;
  other.scenario = scenario;
  return simulate(other, made_up_options().simulate).time.seconds();
}

// A message passes a port in a fifth of a gradient's time.
Case crowded_port() {
  Case scenario_case = star_case("sync", 8, 50, 5_ms);
  scenario_case.scenario.cluster.hosts[0].nic = rate_for(1e-3);
  return scenario_case;
}

TEST_CASE("whatif: workers that are added fill the devices of a host before there is another one") {
  Scenario scenario;
  scenario.training.strategy = "all_reduce";
  scenario.training.workers = 3;
  HostSpec box;
  box.name = "box";
  box.count = 2;
  box.devices = 2;
  scenario.cluster.hosts = {box};
  REQUIRE(sim::set_workers(scenario, 7).empty());
  CHECK(scenario.cluster.placement.workers ==
        std::vector<std::string>{"box0", "box0", "box1", "box1", "added0", "added0", "added1"});
  CHECK(scenario.cluster.hosts.back().devices == 2);
  set_option(scenario.training.protocol, "group", std::int64_t{2});
  CHECK(sim::set_workers(scenario, 9).find("does not divide 9 workers") != std::string::npos);
}

TEST_CASE("whatif: a host that is added has as many workers as the last one") {
  Scenario scenario;
  scenario.training.strategy = "all_reduce";
  scenario.training.workers = 8;
  HostSpec box;
  box.name = "box";
  box.count = 2;
  box.cores = 8;
  scenario.cluster.hosts = {box};
  Scenario doubled = scenario;
  const auto& changes = sim::scenario_changes();
  const auto twice = std::ranges::find(changes, "double nodes", &sim::ScenarioChange::name);
  REQUIRE(twice != changes.end());
  CHECK(twice->apply(doubled) == "");
  CHECK(doubled.training.workers == 16);
  for (const char* host : {"box0", "box1", "added0", "added1"}) {
    CAPTURE(host);
    CHECK(std::ranges::count(doubled.cluster.placement.workers, host) == 4);
  }
  REQUIRE(sim::set_workers(scenario, 9).empty());
  CHECK(scenario.cluster.placement.workers.back() == "added0");
}

TEST_CASE("whatif: a worker that is added gets a host like the last one's") {
  Scenario scenario = star_case("sync", 2, 10, 20_ms).scenario;
  scenario.cluster.hosts[0].count = 1;
  HostSpec fast = scenario.cluster.hosts[0];
  fast.name = "fast";
  fast.compute = 5_ms;
  scenario.cluster.hosts.push_back(fast);
  REQUIRE(sim::set_workers(scenario, 3).empty());
  REQUIRE(scenario.cluster.hosts.size() == 3);
  CHECK(scenario.cluster.hosts[2].compute == 5_ms);
  CHECK(scenario.cluster.placement.workers == std::vector<std::string>{"node", "fast", "added0"});
  CHECK(scenario.cluster.placement.servers == std::vector<std::string>{"node"});
}

TEST_CASE("whatif: twice the nodes, a slower worker are those scenarios") {
  const WhatIf whatif = asked_of(crowded_port());
  Scenario changed = crowded_port().scenario;
  changed.training.workers = 16;
  changed.training.servers = 2;
  changed.training.steps = 25;
  changed.cluster.hosts[0].count = 18;
  CHECK(time_with_change(whatif, "double nodes") == Approx(simulated_anew(changed)).epsilon(1e-6));
  changed = crowded_port().scenario;
  StragglerSpec slow;
  slow.workers = {7};
  slow.slowdown = 1.3;
  changed.stragglers = {slow};
  CHECK(time_with_change(whatif, "one worker 30 % slower") == simulated_anew(changed));
  CHECK(time_with_change(whatif, "one worker 30 % slower") > *whatif.time_s);
  CHECK(whatif.find("double cores") == nullptr);  // each node has its own core
  const WhatIf single = asked_of(star_case("single", 1, 10, 1_ms));
  for (const char* change : {"double nodes", "one worker 30 % slower"}) {
    CAPTURE(change);
    CHECK(single.find(change) == nullptr);
  }
}

TEST_CASE("whatif: more cores help nodes that share them") {
  Case scenario_case = star_case("all_reduce", 4, 20, 20_ms);
  scenario_case.scenario.cluster.hosts[0].count = 2;  // two workers each, with one core
  const WhatIf whatif = asked_of(scenario_case);
  Scenario changed = scenario_case.scenario;
  changed.cluster.hosts[0].cores = 2;
  CHECK(time_with_change(whatif, "double cores") == simulated_anew(changed));
  CHECK(time_with_change(whatif, "double cores") < 0.6 * *whatif.time_s);
}

TEST_CASE("whatif: faults of nodes that a change takes away are none") {
  Case scenario_case = star_case("async", 4, 40, 20_ms);
  FaultSpec cut;
  cut.at = 100_ms;
  cut.cut = {"worker2", "server0"};
  cut.lasting = 50_ms;
  scenario_case.scenario.faults = {cut};
  const WhatIf whatif = asked_of(scenario_case);
  Scenario alone = scenario_case.scenario;
  alone.faults.clear();
  alone.training.strategy = "single";
  alone.training.steps = 160;
  CHECK(time_with_change(whatif, "strategy single") == simulated_anew(alone));
  REQUIRE(whatif.crossovers.size() == 2);
  CHECK_FALSE(whatif.crossovers[0].answer.empty());
}

TEST_CASE("whatif: without servers neither their limit nor a jitter is searched") {
  CHECK(asked_of(star_case("all_reduce", 4, 10, 20_ms)).crossovers.empty());
}

TEST_CASE("whatif: a change to verify that there is not is refused with those that there are") {
  const std::vector<Case> cases{crowded_port()};
  sim::WhatIfOptions asked = made_up_options();
  CHECK_NOTHROW(sim::check_asked(cases, asked));
  asked.verify = "one more server";
  CHECK_NOTHROW(sim::check_asked(cases, asked));
  asked.verify = "one more sever";
  CHECK_THROWS_WITH(sim::check_asked(cases, asked),
                    Catch::StartsWith("--verify one more sever: ") &&
                        Catch::Contains("did you mean one more server?") &&
                        Catch::Contains("double batch, ") && Catch::Contains("strategy async"));
  asked.verify = "server NIC 2x";
  CHECK_THROWS_WITH(sim::check_asked(cases, asked), Catch::Contains("a faster resource"));
}

TEST_CASE("whatif: a search is refused where no case has anything to search") {
  const Case alone = star_case("single", 1, 10, 20_ms);
  sim::WhatIfOptions asked = made_up_options();
  asked.search = true;
  CHECK_THROWS_WITH(sim::check_asked({alone, alone}, asked),
                    Catch::StartsWith("--crossover: nothing to search for single"));
  CHECK_NOTHROW(sim::check_asked({alone, crowded_port()}, asked));
}

}  // namespace
}  // namespace foretrain::testing
