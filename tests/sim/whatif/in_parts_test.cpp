// The cost of sharded parameters: its what-if question, its closed form.
#include "sim/whatif/intervention.h"
#include "sim/whatif/whatif.h"
#include "tests/sim/asked_whatif.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

const std::string kOptimizerInParts = "optimizer in parts (ZeRO 1)";
const std::string kParametersInParts = "parameters in parts (FSDP)";

TEST_CASE("whatif in parts: workers of an all-reduce may have in parts what they have not yet") {
  const Scenario optimizer = ShardedJob("optimizer", 2).c.scenario;
  CHECK(why_not(optimizer, kParametersInParts) == "");
  CHECK_FALSE(why_not(optimizer, kOptimizerInParts));
  const Scenario parameters = ShardedJob("parameters", 2).c.scenario;
  CHECK_FALSE(why_not(parameters, kParametersInParts));
  CHECK(why_not(parameters, kOptimizerInParts) == "");
  const Scenario gradients = ShardedJob("gradients", 2).c.scenario;
  CHECK(why_not(gradients, kParametersInParts) == "");
  CHECK(why_not(gradients, kOptimizerInParts) == "");
  Scenario changed = optimizer;
  REQUIRE(sim::parameters_in_parts(changed));
  CHECK(changed.training.shard == "parameters");
  REQUIRE(sim::optimizer_in_parts(changed));
  CHECK(changed == optimizer);
}

TEST_CASE("whatif in parts: one worker, a server leave nothing to have in parts") {
  for (const Scenario& scenario :
       {ShardedJob("optimizer", 1).c.scenario, star_case("sync", 4, 5, 1_ms).scenario,
        star_case("single", 1, 5, 1_ms).scenario}) {
    CAPTURE(scenario.training.strategy);
    CHECK_FALSE(why_not(scenario, kParametersInParts));
    CHECK_FALSE(why_not(scenario, kOptimizerInParts));
  }
}

TEST_CASE("whatif in parts: what does not go with it is told") {
  Scenario grouped = ShardedJob("optimizer", 4).c.scenario;
  set_option(grouped.training.protocol, "group", std::int64_t{2});
  CHECK(why_not(grouped, kParametersInParts) == "");
  Scenario keeping = ShardedJob("optimizer", 4).c.scenario;
  keeping.checkpoint.every.steps = 2;
  CHECK(why_not(keeping, kParametersInParts) ==
        "checkpoint.every is set: checkpoints need all parameters at each worker");
  keeping.training.shard = "gradients";
  CHECK(why_not(keeping, kOptimizerInParts) == "");
}

TEST_CASE("whatif in parts: it is offered of a forecast, not of gradients that are carried out") {
  Case scenario_case = star_case("all_reduce", 2, 5, 1_ms);
  CHECK(asked_whatif(scenario_case).find(kParametersInParts) != nullptr);
  scenario_case.scenario.numerics = true;
  const WhatIf carried_out = asked_whatif(scenario_case);
  CHECK(carried_out.find(kParametersInParts) == nullptr);
  CHECK(carried_out.find("overlap off") != nullptr);
}

// Links that are always busy, half of a layer in 2 s. Of L layers an all-reduce moves each twice;
// sharding gathers 2 L - 1 and scatters L: 1.5 times as many, minus half a layer.
TEST_CASE("whatif in parts: of bytes alone parameters take up to 1.5 times an all-reduce's time") {
  const int layers = GENERATE(4, 40);
  CAPTURE(layers);
  ShardedJob job("optimizer", 2, kShardedLayer, layers);
  job.host().nic = {1e6};
  const WhatIf whatif = asked_whatif(job.c);
  REQUIRE(whatif.time_s.has_value());
  const double in_parts_s = time_with(whatif, kParametersInParts);
  CHECK(in_parts_s == Approx(kShardedSteps * (3.0 * layers - 1) * 2).epsilon(kShardedHeaders));
  const double ratio = in_parts_s / *whatif.time_s;
  CHECK(ratio == Approx((3.0 * layers - 1) / (2.0 * layers)).epsilon(kShardedHeaders));
  CHECK(ratio < 1.5);
}

TEST_CASE("whatif in parts: there and back are those scenarios, exactly") {
  ShardedJob job("optimizer", 2);
  job.host().nic = {400e6};
  const WhatIf whole = asked_whatif(job.c);
  job.c.scenario.training.shard = "parameters";
  const WhatIf parts = asked_whatif(job.c);
  CHECK(time_with(whole, kParametersInParts) == parts.time_s);
  CHECK(time_with(parts, kOptimizerInParts) == whole.time_s);
  CHECK(parts.time_s != whole.time_s);
}

}  // namespace
}  // namespace foretrain::testing
