// Features of simulations that a run rejects.
#include "exec/launch/run.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::exec {
namespace {

TEST_CASE("run: a profile is refused before anything is opened") {
  const Case scenario_case =
      parse_scenario("foretrain: 1\nmodel: {profile: p.csv}\ntraining: {steps: 1}\n", "x.yaml")
          .front();
  std::string message;
  try {
    run(scenario_case, {});
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message ==
        "x.yaml:2:18: model.profile: a profile has only times, no layers to train; simulate it");
}

TEST_CASE("run: what only a simulation knows is refused at its key") {
  const std::string head =
      "foretrain: 1\nmodel: softmax\ntraining: {workers: 2, steps: 2}\n"
      "cluster: {hosts: [{name: a, count: 3}]}\n";
  const auto refused = [&](const std::string& rest, const std::string& key) {
    const Case each = parse_scenario(head + rest, "x.yaml").front();
    CHECK_THROWS_WITH(exec::run(each, {}),
                      Catch::Contains(key + ": only simulate knows it; --set " + key + "=null"));
  };
  refused("framework: {step: 2 ms}\n", "framework");
  refused("neighbours: [{scenario: other.yaml}]\n", "neighbours");
  refused("dataset: {served_by: a1}\n", "dataset.served_by");
  refused("dataset: {read_rate: 100 MB/s}\n", "dataset.read_rate");
  refused("dataset: {parse: 2 us}\n", "dataset.parse");
}

TEST_CASE("run: parameters in parts are refused at their key") {
  const Case each = parse_scenario(
                        "foretrain: 1\nnumerics: off\n"
                        "training: {strategy: all_reduce, workers: 2, shard: parameters}\n",
                        "x.yaml")
                        .front();
  CHECK_THROWS_WITH(run(each, {}), Catch::Contains("x.yaml:3:") &&
                                       Catch::Contains("training.shard: sharded parameters") &&
                                       Catch::Contains("simulate it"));
}

TEST_CASE("run: sums of a host's workers are refused at their key") {
  const Case each = parse_scenario(
                        "foretrain: 1\nnumerics: off\n"
                        "training: {strategy: sync, workers: 2, steps: 2, local_sum: on}\n",
                        "x.yaml")
                        .front();
  CHECK_THROWS_WITH(run(each, {}), Catch::Contains("x.yaml:3:") &&
                                       Catch::Contains("training.local_sum: sums of a host") &&
                                       Catch::Contains("simulate it"));
}

}  // namespace
}  // namespace foretrain::exec
