// The key `training: shard:`.
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"

#include <string>

namespace foretrain {
namespace {

std::string shard_text(const std::string& training, const std::string& top = "numerics: off\n") {
  return "foretrain: 1\n" + top + "training: {strategy: all_reduce, workers: 4, " + training +
         "}\n";
}

TEST_CASE("shard key: it reaches its member and is said to be read back") {
  for (const std::string shard : {"gradients", "parameters"}) {
    const Scenario scenario = only(shard_text("shard: " + shard));
    CHECK(scenario.training.shard == shard);
    CHECK(only(to_yaml(scenario)) == scenario);
  }
  CHECK(only(shard_text("batch_size: 8")).training.shard == "optimizer");
  CHECK(only(shard_text("shard: fsdp")).training.shard == "parameters");
}

TEST_CASE("shard key: what goes not with it is refused at its own place") {
  const auto refused = [](const std::string& text, const std::string& key, const std::string& why) {
    CHECK_THAT(scenario_error(text), Catch::Matchers::Contains("x.yaml:") &&
                                         Catch::Matchers::Contains(key + ": ") &&
                                         Catch::Matchers::Contains(why));
  };
  const std::string in_parts = "shard: parameters, ";
  refused(shard_text("shard: parameters", ""), "training.shard", "write numerics: off");
  refused(shard_text("shard: gradients, group: 2"), "training.group", "remove it");
  CHECK(only(shard_text(in_parts + "group: 2")).training.shard == "parameters");
  refused(shard_text(in_parts + "group: 3"), "training.group", "does not divide");
  refused(shard_text(in_parts + "algorithm: tree"), "training.algorithm", "trees add up");
  refused(shard_text(in_parts + "algorithm: auto"), "training.algorithm", "trees add up");
  refused(shard_text(in_parts + "compression: topk"), "training.compression", "topk");
  refused(shard_text("shard: parameters", "numerics: off\ncheckpoint: {every: 5 steps}\n"),
          "checkpoint.every", "training.shard is parameters");
  CHECK(only(shard_text("shard: gradients", "numerics: off\ncheckpoint: {every: 5 steps}\n"))
            .checkpoint.every.steps == 5);
  refused("foretrain: 1\nnumerics: off\ntraining: {strategy: sync, shard: gradients}\n",
          "training.shard", "only all_reduce can shard");
  refused(shard_text("shard: everything"), "training.shard", "parameters");
  CHECK(only(shard_text(in_parts + "algorithm: ring")).training.shard == "parameters");
}

TEST_CASE("reduce key: of sharded gradients alone, after each batch by default") {
  CHECK(only(shard_text("shard: gradients")).training.reduce == "batch");
  const Scenario scenario = only(shard_text("shard: parameters, accumulate: 4, reduce: step"));
  CHECK(scenario.training.reduce == "step");
  CHECK(only(to_yaml(scenario)) == scenario);
  CHECK_THAT(scenario_error(shard_text("accumulate: 4, reduce: step")),
             Catch::Matchers::Contains("training.reduce: ") &&
                 Catch::Matchers::Contains("sharded gradients"));
  CHECK_THAT(scenario_error(shard_text("shard: gradients, reduce: bacth")),
             Catch::Matchers::Contains("did you mean batch?"));
}

TEST_CASE("shard key: nobody comes back to parts that are gone, unless all begin again") {
  for (const std::string shard : {"gradients", "parameters"}) {
    CAPTURE(shard);
    const std::string text = shard_text("shard: " + shard);
    CHECK_THAT(scenario_error(text + "faults: [{at: 1 s, kill: worker1, restart_after: 5 s}]\n"),
               Catch::Matchers::StartsWith("x.yaml:4:") &&
                   Catch::Matchers::Contains("here all_reduce lets no lost worker return") &&
                   Catch::Matchers::EndsWith("remove faults[0].restart_after"));
    const std::string waits = shard_text("rejoin_limit: 9 s, shard: " + shard);
    CHECK(only(waits + "faults: [{at: 1 s, kill: worker1, restart_after: 5 s}]\n")
              .faults.at(0)
              .restart_after.has_value());
    CHECK(only(text + "faults: [{at: 1 s, kill: worker1}]\n").faults.size() == 1);
  }
}

TEST_CASE("shard key: a sweep takes strategies without parts beside it") {
  const auto cases = parse_scenario(
      shard_text("shard: parameters") + "sweep: {training.strategy: [sync, all_reduce]}\n",
      "x.yaml");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.training.shard == "optimizer");
  CHECK(cases[1].scenario.training.shard == "parameters");
}

}  // namespace
}  // namespace foretrain
