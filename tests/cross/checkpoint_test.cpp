// A training with checkpoints is the same training in both modes.
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

TEST_CASE("cross: checkpoints leave the weights as they are, both worlds make as many") {
  const std::string strategy = GENERATE("single", "sync", "ssp", "all_reduce", "local_sgd");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 3, 24);
  Scenario& scenario = scenario_case.scenario;
  if (strategy == "sync") scenario.training.servers = 2;
  scenario.training.bucket_size = {8'000};
  scenario.training.evaluate_every = 5;
  scenario.training.optimizer.name = "adam";
  scenario.training.optimizer.learning_rate = 0.001;
  set_option(scenario.training.protocol, "staleness", std::int64_t{0});
  set_option(scenario.training.protocol, "local_steps", std::int64_t{4});
  const Record plain = simulate(scenario_case);
  REQUIRE(plain.weights_sha256.size() == 64);
  scenario.checkpoint.every.steps = 7;
  scenario.checkpoint.write_latency = 0_ms;  // else the last one is not finished at the end
  const Record simulated = simulate(scenario_case);
  CHECK(simulated.weights_sha256 == plain.weights_sha256);
  exec::RunOptions options;
  options.max_delay = 1_ms;
  const Record real = real_run(scenario_case, options);
  CHECK(real.weights_sha256 == plain.weights_sha256);
  // After 7, 14, 21 steps; with rounds of four steps after 8, 16, because the next one is at the
  // end.
  const std::int64_t count = strategy == "local_sgd" ? 2 : 3;
  CHECK(real.checkpoints.count > 0);
  CHECK(real.checkpoints.count <= count);
  CHECK(simulated.checkpoints.count == count);
  // The forecast has the same size per checkpoint as the run.
  CHECK(real.checkpoints.size * simulated.checkpoints.count ==
        simulated.checkpoints.size * real.checkpoints.count);
}

TEST_CASE("cross: a run that keeps its states by the clock is replayed to the same weights") {
  const std::string strategy = GENERATE("async", "ssp", "sync", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 400);
  Scenario& scenario = scenario_case.scenario;
  if (strategy != "all_reduce") scenario.training.servers = 2;
  scenario.training.bucket_size = {8'000};
  set_option(scenario.training.protocol, "staleness", std::int64_t{2});
  scenario.checkpoint.every.time = 10_ms;
  const Record real = real_run(scenario_case);
  CHECK(real.checkpoints.count > 0);
  CHECK(real.gradients == 800);
  CHECK(sim::replay(real).weights_sha256 == real.weights_sha256);
}

}  // namespace
}  // namespace foretrain::testing
