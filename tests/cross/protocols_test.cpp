// Every deterministic strategy ends with the same bits in both modes.
#include "models/protocol/registry.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {

TEST_CASE("cross: each deterministic strategy ends with the same weights, the same bytes") {
  for (const Protocol& protocol : protocols()) {
    for (int workers = 1; workers <= (protocol.several_workers ? 4 : 1); ++workers) {
      Case scenario_case = small_case(std::string(protocol.name), workers, 18);
      TrainingSpec& training = scenario_case.scenario.training;
      if (!protocol.deterministic(training.protocol)) continue;
      CAPTURE(protocol.name, workers);
      if (protocol.several_workers) training.bucket_size = {6'000};
      const Record simulated = simulate(scenario_case);
      REQUIRE(simulated.weights_sha256.size() == 64);
      const Record real = real_run(scenario_case, {});
      CHECK(real.weights_sha256 == simulated.weights_sha256);
      REQUIRE(real.nodes.size() == simulated.nodes.size());
      for (std::size_t node = 0; node < real.nodes.size(); ++node) {
        CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
        CHECK(real.nodes[node].rx == simulated.nodes[node].rx);
      }
    }
  }
}

}  // namespace
}  // namespace foretrain::testing
