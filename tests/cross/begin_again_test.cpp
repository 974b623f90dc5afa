// Both modes restart from a checkpoint once an indispensable node is back.
#include "exec/launch/run.h"
#include "scenarios/resolve/faults.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

struct BegunAgain {
  std::string strategy;
  int servers;
  std::string victim;
};

Record really(const Case& scenario_case) {
  exec::RunOptions options;
  options.program = program_path();
  return exec::run(scenario_case, options);
}

// Slow enough that a death after 20 ms is in the middle of the training.
Case disturbed_case(const BegunAgain& shape) {
  Case scenario_case = small_case(shape.strategy, 3, 200);
  Scenario& scenario = scenario_case.scenario;
  if (shape.servers > 0) scenario.training.servers = shape.servers;
  scenario.training.bucket_size = {8'000};
  scenario.stragglers.resize(1);
  scenario.stragglers[0].slowdown = 20;
  scenario.training.rejoin_limit = 30_s;
  scenario.faults = {{.at = 20_ms, .kill = shape.victim, .restart_after = 100_ms}};
  return scenario_case;
}

TEST_CASE("begin again: a ring, servers, the chief are waited for, with the bits of both modes") {
  const auto shape =
      GENERATE(BegunAgain{"all_reduce", 0, "worker1"}, BegunAgain{"all_reduce", 0, "worker0"},
               BegunAgain{"local_sgd", 0, "worker2"}, BegunAgain{"sync", 2, "server1"},
               BegunAgain{"sync", 1, "worker0"}, BegunAgain{"sync", 2, "worker2"});
  CAPTURE(shape.strategy, shape.servers, shape.victim);
  const Case scenario_case = disturbed_case(shape);
  Case plain = scenario_case;
  plain.scenario.faults.clear();
  const Record whole = simulate(plain);
  REQUIRE(whole.weights_sha256.size() == 64);
  const Record real = really(scenario_case);
  const Record simulated = simulate(scenario_case);
  for (const Record* record : {&real, &simulated}) {
    INFO(name_of(record->mode) << ": " << record->failure);
    REQUIRE(record->outcome == Outcome::done);
    CHECK(record->weights_sha256 == whole.weights_sha256);
    CHECK(record->gradients == 600);
    CHECK(record->restarts.count == 1);
    CHECK(record->restarts.down >= 100_ms);
    for (const NodeTotals& node : record->nodes) CHECK(node.lost.empty());
  }
  CHECK(simulated.time >= whole.time + 100_ms);
}

TEST_CASE("begin again: who is not back in time is named, and that is the end in both modes") {
  const auto shape = GENERATE(BegunAgain{"all_reduce", 0, "worker1"},
                              BegunAgain{"sync", 1, "server0"}, BegunAgain{"async", 1, "server0"});
  CAPTURE(shape.strategy);
  Case scenario_case = disturbed_case(shape);
  scenario_case.scenario.training.rejoin_limit = 200_ms;
  scenario_case.scenario.faults[0].restart_after = 60_s;
  const std::string expected = shape.victim + " " + death_at(20_ms) +
                               ", and did not come back within training.rejoin_limit of 200 ms";
  for (const Record& record : {really(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode));
    CHECK(record.outcome == Outcome::failed);
    CHECK(record.failure == expected);
  }
}

TEST_CASE("begin again: nobody is waited for whom nobody starts again") {
  Case scenario_case = disturbed_case({"all_reduce", 0, "worker1"});
  scenario_case.scenario.faults[0].restart_after.reset();
  for (const Record& record : {really(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode));
    CHECK(record.outcome == Outcome::failed);
    CHECK(record.failure == "worker1 " + death_at(20_ms));
  }
}

}  // namespace
}  // namespace foretrain::testing
