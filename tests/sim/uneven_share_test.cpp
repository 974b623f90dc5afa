// The shares of asynchronous workers in all gradients, also with the server beside one of them.
#include "reports/record/caveats.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/placement.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

/// Three workers on hosts whose NICs carry a message in 5 ms; gradients take 1 ms.
Case on_hosts(int hosts, const std::string& quota) {
  Case scenario_case = star_case("async", 3, 40, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].count = hosts;
  scenario.cluster.hosts[0].nic = rate_for(5e-3);
  set_option(scenario.training.protocol, "quota", quota);
  return scenario_case;
}

TEST_CASE("uneven share: a worker beside the server makes most gradients of a shared quota") {
  const Record beside = simulate(on_hosts(3, "shared"));
  CHECK(uneven_share(beside).find(
            "of the gradients (an even share is 33 %): it shares a host with server0") !=
        std::string::npos);
  CHECK(uneven_share(simulate(on_hosts(4, "shared"))).empty());
  CHECK(uneven_share(simulate(on_hosts(3, "own"))).empty());
  Case sync = on_hosts(3, "shared");
  sync.scenario.training.strategy = "sync";
  sync.scenario.training.protocol = {};
  CHECK(uneven_share(simulate(sync)).empty());
}

TEST_CASE("uneven share: asynchronous evaluations off the clock leave the time without any") {
  Case scenario_case = small_case("async", 2, 300);
  Scenario& scenario = scenario_case.scenario;
  const Summary without = summarize(simulate(scenario_case));
  scenario.training.evaluate_every = 10;
  const Summary with = summarize(simulate(scenario_case));
  CHECK(with.evaluate_s > 0.04 * without.time_s);
  CHECK(with.time_s - with.evaluate_s == Approx(without.time_s).epsilon(0.02));
  CHECK(with.bare_examples_per_s.value() == Approx(without.examples_per_s.value()).epsilon(0.02));
}

}  // namespace
}  // namespace foretrain::testing
