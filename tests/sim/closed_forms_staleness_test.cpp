// The speed of stale synchronous training, compared with a Monte Carlo of its rule.
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

StragglerSpec exponential_factors() {
  StragglerSpec spec;
  spec.distribution = "exponential";
  return spec;
}

// Eight workers, gradients of one second on average, messages that take no time.
Case eight(const std::string& strategy, int staleness, std::int64_t steps) {
  Case scenario_case = star_case(strategy, 8, steps, 1_s);
  set_option(scenario_case.scenario.training.protocol, "staleness", staleness);
  return scenario_case;
}

double rate(const Record& record) {
  return static_cast<double>(record.gradients) / record.time.seconds();
}

TEST_CASE("closed form C: the bound of ssp trades waiting for staleness") {
  const auto [staleness, expected] = GENERATE(table<int, double>(
      {{0, 2.943}, {1, 4.462}, {2, 5.299}, {4, 6.171}, {8, 6.891}, {32, 7.671}}));
  CAPTURE(staleness);
  Case scenario_case = eight("ssp", staleness, staleness < 32 ? 30'000 : 80'000);
  scenario_case.scenario.stragglers = {exponential_factors()};
  CHECK(rate(simulate(scenario_case)) == Approx(expected).epsilon(0.01));
}

TEST_CASE("closed form C: at either end of the bound ssp is another strategy event for event") {
  // With bound 0 all workers step together; with a bound that is never reached nobody waits.
  const auto [staleness, strategy] =
      GENERATE(table<int, std::string>({{0, "sync"}, {1'000'000, "async"}}));
  CAPTURE(strategy);
  const auto simulated = [](Case scenario_case) {
    scenario_case.scenario.stragglers = {exponential_factors()};
    return simulate(scenario_case);
  };
  const Record a = simulated(eight("ssp", staleness, 200));
  const Record b = simulated(eight(strategy, 0, 200));
  REQUIRE(a.steps.size() == b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    CHECK(a.steps[i].worker == b.steps[i].worker);
    CHECK(a.steps[i].report.start == b.steps[i].report.start);
  }
  CHECK(a.time == b.time);
}

TEST_CASE("closed form C: ssp cures jitter but not a worker that is slow for good") {
  StragglerSpec slow;
  slow.workers = {7};
  slow.slowdown = 4;
  // Equal deterministic times: every bound ends at N / t_slow.
  const int staleness = GENERATE(0, 1, 4);
  CAPTURE(staleness);
  Case steady = eight("ssp", staleness, 2'000);
  steady.scenario.stragglers = {slow};
  CHECK(rate(simulate(steady)) == Approx(2.0).epsilon(0.01));
  Case jittery = eight("ssp", staleness, 80'000);
  jittery.scenario.stragglers = {slow, exponential_factors()};
  const double expected = staleness == 0 ? 1.67 : staleness == 1 ? 1.97 : 1.98;
  CHECK(rate(simulate(jittery)) == Approx(expected).epsilon(0.01));
}

TEST_CASE("closed form C: async makes of a slow worker no more than its own loss") {
  Case scenario_case = eight("async", 0, 40'000);
  StragglerSpec slow;
  slow.workers = {7};
  slow.slowdown = 4;
  scenario_case.scenario.stragglers = {slow, exponential_factors()};
  CHECK(rate(simulate(scenario_case)) == Approx(7.25).epsilon(0.01));
}

}  // namespace
}  // namespace foretrain::testing
