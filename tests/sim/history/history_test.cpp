// A recorded history is complete, without an effect on the simulation.
#include "models/protocol/registry.h"
#include "scenarios/resolve/read.h"
#include "sim/whatif/critical_path.h"
#include "tests/support/cases.h"
#include "tests/support/random_scenario.h"

#include <catch2/catch.hpp>

#include <numeric>

namespace foretrain::testing {
namespace {
using namespace literals;
using sim::Resource;

Record simulate_drawn(const Case& scenario_case, const sim::Variant& variant) {
  const Prepared prepared = prepare(scenario_case, need_of_simulation(scenario_case.scenario));
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return made_up_machine(prepared.model_key); };
  options.usage_interval = 10_ms;
  options.variant = variant;
  return sim::simulate(prepared, options);
}

TEST_CASE("history: random scenarios end as without one with every nanosecond accounted for") {
  const RandomScenarios scenarios;
  const int count = 150;
  for (int seed = 1; seed <= count; ++seed) {
    Stream draw(seed, "history");
    const Case drawn = scenarios.draw(draw);
    INFO("seed " << seed << "\n" << to_yaml(drawn.scenario));
    const Record plain = simulate_drawn(drawn, {});
    sim::History history;
    const Record watched = simulate_drawn(drawn, {{}, &history});
    REQUIRE((plain == watched));
    if (watched.outcome != Outcome::done) continue;
    // Each activity begins after the end of what it waited for.
    for (const sim::Activity& activity : history.activities()) {
      REQUIRE(activity.begin <= activity.end);
      REQUIRE(history.activities()[activity.cause].end <= activity.begin);
      REQUIRE(history.activities()[activity.before].end <= activity.begin);
    }
    const Instant end = Instant{} + watched.time;
    const sim::CriticalPath path = sim::critical_path(history, end);
    CHECK(std::accumulate(path.times.begin(), path.times.end(), Duration{}) == watched.time);
    const bool dies =
        std::ranges::any_of(watched.nodes, [](const auto& n) { return !n.lost.empty(); });
    if (!dies) CHECK(path.time(Resource::waiting).ns == 0);
  }
}

TEST_CASE("history: all resources twice as fast end in half the time") {
  const std::string strategy = GENERATE("sync", "async", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = star_case(strategy, 4, 50, 20_ms);
  HostSpec& host = scenario_case.scenario.cluster.hosts[0];
  host.nic = {1e7};
  host.latency = 100_us;
  host.send = host.receive = {50e-6, 1e-9};
  sim::TimeFactors time_factors;
  for (std::size_t i = 0; i < sim::kResources; ++i) time_factors.set(static_cast<Resource>(i), 0.5);
  const double before = simulate(scenario_case).time.seconds();
  CHECK(simulate(scenario_case, {time_factors, nullptr}).time.seconds() ==
        Approx(before / 2).epsilon(1e-5));
}

}  // namespace
}  // namespace foretrain::testing
