// Compressed gradients give the same numbers in both modes.
#include "models/protocol/message.h"
#include "scenarios/language/input_error.h"
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

Record delayed_run(const Case& scenario_case) {
  exec::RunOptions options;
  options.max_delay = 1_ms;
  return real_run(scenario_case, options);
}

Case compressed_case(const std::string& strategy, const std::string& kind) {
  Case scenario_case = small_case(strategy, 3, 20);
  TrainingSpec& training = scenario_case.scenario.training;
  training.compression.kind = kind;
  if (strategy != "all_reduce") training.servers = 2;
  training.bucket_size = {6'004};  // an odd number of 16-bit floats
  return scenario_case;
}

TEST_CASE("cross: compressed gradients end with the same weights, the same bytes") {
  const auto [strategy, kind] = GENERATE(table<std::string, std::string>({{"sync", "fp16"},
                                                                          {"sync", "topk"},
                                                                          {"ssp", "fp16"},
                                                                          {"ssp", "topk"},
                                                                          {"all_reduce", "fp16"}}));
  CAPTURE(strategy, kind);
  Case scenario_case = compressed_case(strategy, kind);
  if (strategy == "ssp") set_option(scenario_case.scenario.training.protocol, "staleness", 0);
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = delayed_run(scenario_case);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
    CHECK(real.nodes[node].rx == simulated.nodes[node].rx);
  }
  scenario_case.scenario.training.compression = {};
  const Record whole = simulate(scenario_case);
  CHECK(whole.weights_sha256 != simulated.weights_sha256);
  CHECK(whole.nodes[0].tx.value > real.nodes[0].tx.value);
}

TEST_CASE("cross: overlap on or off sends the same compressed buckets") {
  const std::string kind = GENERATE("fp16", "topk");
  CAPTURE(kind);
  Case scenario_case = compressed_case("sync", kind);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "mlp";
  scenario.model.options.hidden = {200, 100};
  scenario.training.steps = 8;
  scenario.training.bucket_size = {20'000};
  scenario.training.overlap = false;
  const Record joined = simulate(scenario_case);
  scenario.training.overlap = true;
  CHECK(delayed_run(scenario_case).weights_sha256 == joined.weights_sha256);
}

TEST_CASE("cross: a recorded run of compressed gradients is replayed to the same weights") {
  const std::string strategy = GENERATE("async", "sync");
  const std::string kind = GENERATE("fp16", "topk");
  CAPTURE(strategy, kind);
  Case scenario_case = compressed_case(strategy, kind);
  set_option(scenario_case.scenario.training.protocol, "backup_workers", 1);
  const Record real = delayed_run(scenario_case);
  CHECK(sim::replay(real).weights_sha256 == real.weights_sha256);
}

TEST_CASE("cross: checkpoints of compressed gradients are as large as forecast") {
  const bool ring = GENERATE(false, true);
  Case scenario_case =
      ring ? compressed_case("all_reduce", "fp16") : compressed_case("sync", "topk");
  const Record plain = simulate(scenario_case);
  scenario_case.scenario.checkpoint.every.steps = 7;
  const Record real = delayed_run(scenario_case);
  const Record simulated = simulate(scenario_case);
  CHECK(real.weights_sha256 == plain.weights_sha256);
  REQUIRE(real.checkpoints.count > 0);
  CHECK(real.checkpoints.size * simulated.checkpoints.count ==
        simulated.checkpoints.size * real.checkpoints.count);
}

TEST_CASE("cross: a run does not send what is a ratio alone") {
  Case scenario_case = compressed_case("sync", "ratio");
  scenario_case.scenario.training.compression.ratio = 2;
  scenario_case.scenario.numerics = false;
  CHECK_THROWS_WITH(real_run(scenario_case),
                    Catch::Matchers::Contains("training.compression.kind") &&
                        Catch::Matchers::Contains("simulate it"));
}

}  // namespace
}  // namespace foretrain::testing
