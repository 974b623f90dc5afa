// A simulation without rows gives the same summary as one with rows.
#include "reports/record/collector.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

Record simulate_for(const Case& scenario_case, bool summary_only) {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = 1_ms;
  options.summary_only = summary_only;
  return simulate(scenario_case, options);
}

TEST_CASE("simulate: a summary is what is left of the whole record without its rows") {
  const std::string strategy = GENERATE("single", "sync", "async", "ssp", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 3, 21);
  scenario_case.scenario.training.evaluate_every = 5;
  scenario_case.scenario.stragglers.resize(1);
  scenario_case.scenario.stragglers[0].distribution = "exponential";
  Record whole = simulate_for(scenario_case, false);
  REQUIRE(!whole.steps.empty());
  REQUIRE(!whole.usage.empty());
  REQUIRE(whole.evals.size() >= 2);
  const Record summary = simulate_for(scenario_case, true);
  CHECK(summary.steps.empty());
  CHECK(summary.usage.empty());
  keep_summary(whole);
  CHECK(summary == whole);
}

}  // namespace
}  // namespace foretrain::testing
