// The key `training: local_sum:`.
#include "scenarios/resolve/gradient_counts.h"

#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"

#include <string>

namespace foretrain {
namespace {

/// Two hosts with two devices each, another host for servers.
std::string local_sum_text(const std::string& training,
                           const std::string& top = "numerics: off\n") {
  return "foretrain: 1\n" + top + "training: {steps: 9, local_sum: on, " + training +
         "}\ncluster:\n  hosts:\n    - {name: box, count: 2, devices: 2}\n    - {name: server}\n";
}

TEST_CASE("local_sum key: it reaches its member and is said to be read back") {
  const Scenario scenario = only(local_sum_text("strategy: sync, workers: 4"));
  CHECK(scenario.training.local_reduction);
  CHECK(only(to_yaml(scenario)) == scenario);
  CHECK(!only("foretrain: 1\ntraining: {steps: 9}\n").training.local_reduction);
}

TEST_CASE("local_sum key: a push carries the gradients of a host, an update those of pushes") {
  const Scenario sync = only(local_sum_text("strategy: sync, workers: 4"));
  CHECK(gradients_a_push(sync) == 2);
  CHECK(gradients_an_update(sync) == 4);
  Scenario async = only(local_sum_text("strategy: async, workers: 4"));
  CHECK(gradients_a_push(async) == 2);
  CHECK(gradients_an_update(async) == 2);
  async.training.local_reduction = false;
  CHECK(gradients_a_push(async) == 1);
  CHECK(gradients_an_update(async) == 1);
}

TEST_CASE("local_sum key: what goes not with it is refused at its own place") {
  const auto refused = [](const std::string& text, const std::string& key, const std::string& why) {
    CHECK_THAT(scenario_error(text), Catch::Matchers::Contains("x.yaml:") &&
                                         Catch::Matchers::Contains(key + ": ") &&
                                         Catch::Matchers::Contains(why));
  };
  const std::string four = "strategy: sync, workers: 4";
  refused(local_sum_text(four, ""), "training.local_sum", "write numerics: off");
  refused(local_sum_text(four + ", backup_workers: 1"), "training.backup_workers",
          "every sum of a host is needed");
  refused(local_sum_text(four + ", rejoin_limit: 5 s"), "training.rejoin_limit", "host's sums");
  refused(local_sum_text(four, "numerics: off\ncheckpoint: {every: 5 steps}\n"), "checkpoint.every",
          "checkpoints do not contain");
  refused(local_sum_text(four, "numerics: off\nfaults: [{at: 1 s, stop: worker1, for: 2 s}]\n"),
          "faults", "training.local_sum: off");
  refused(local_sum_text("strategy: sync, workers: 3"), "training.local_sum",
          "box0 has 2 workers and box1 has 1");
  refused(local_sum_text("strategy: all_reduce, workers: 4"), "training.local_sum",
          "this strategy has no servers");
}

TEST_CASE("local_sum key: a sweep takes strategies without servers beside it") {
  const auto cases = parse_scenario(
      local_sum_text("workers: 4") + "sweep: {training.strategy: [sync, all_reduce]}\n", "x.yaml");
  REQUIRE(cases.size() == 2);
  CHECK(gradients_a_push(cases[0].scenario) == 2);
  CHECK(gradients_a_push(cases[1].scenario) == 1);
}

}  // namespace
}  // namespace foretrain
