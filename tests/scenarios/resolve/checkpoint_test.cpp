// Keys of checkpoints, comparison of trainings by scenario.
#include "scenarios/resolve/equal_work.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {
using Catch::Matchers::Contains;

constexpr const char* kKeptHead = "foretrain: 1\nname: kept\n";

std::string with_checkpoint(const std::string& checkpoint) {
  return std::string(kKeptHead) + "checkpoint: " + checkpoint + "\n";
}

TEST_CASE("checkpoint: every so many steps, or so long") {
  CHECK(!only(kKeptHead).checkpoint.every.wanted());
  CHECK(only(with_checkpoint("500 steps")).checkpoint.every == CheckpointRule{500, {}});
  CHECK(only(with_checkpoint("{every: 1 step, keep: 7}")).checkpoint.every ==
        CheckpointRule{1, {}});
  const CheckpointSpec spec =
      only(with_checkpoint("{every: 60 s, keep: 7, write_rate: 8 Gbps}")).checkpoint;
  CHECK(spec.every == CheckpointRule{0, {60'000'000'000}});
  CHECK(spec.keep == 7);
  CHECK(spec.write_rate.value == Approx(1e9));
  for (const char* text : {"500 steps", "{every: 60 s, keep: 7, write_latency: 1 ms}"}) {
    const Scenario scenario = only(with_checkpoint(text));
    CHECK(only(to_yaml(scenario)) == scenario);
  }
  CHECK(to_yaml(only(kKeptHead)).find("checkpoint") == std::string::npos);
}

TEST_CASE("checkpoint: what the disk takes is the scenario's, else the machine's, else assumed") {
  const DiskCost machine{{1e8}, {24'000'000}};
  const auto spec = [](const std::string& text) { return only(with_checkpoint(text)).checkpoint; };
  const CheckpointSpec none = spec("{every: 5 steps, keep: 3}");
  CHECK(none.disk_on(machine) == machine);
  CHECK_FALSE(none.assumes_disk(machine));
  CHECK(none.disk_on({}) == DiskCost{{600e6}, {3'000'000}});
  CHECK(none.assumes_disk({}));
  CHECK(to_yaml(only(with_checkpoint("5 steps"))).find("write_") == std::string::npos);
  const CheckpointSpec rate = spec("{every: 5 steps, write_rate: 8 Gbps}");
  CHECK(rate.disk_on(machine) == DiskCost{{1e9}, {24'000'000}});
  CHECK(rate.disk_on({}) == DiskCost{{1e9}, {3'000'000}});
  CHECK(rate.assumes_disk({}));
  const CheckpointSpec both = spec("{every: 5 steps, write_rate: 8 Gbps, write_latency: 0 s}");
  CHECK(both.disk_on(machine) == DiskCost{{1e9}, {}});
  CHECK_FALSE(both.assumes_disk({}));
  CHECK(spec("{every: 5 steps, write_latency: 0 s}") != none);
  const Scenario scenario = only(with_checkpoint("{every: 5 steps, write_latency: 0 s}"));
  CHECK(only(to_yaml(scenario)) == scenario);
}

TEST_CASE("checkpoint: what makes no sense is told with its place") {
  CHECK_THAT(scenario_error(with_checkpoint("500")),
             Contains("x.yaml:3:13: checkpoint") && Contains("write 500 steps, or 60 s"));
  CHECK_THAT(scenario_error(with_checkpoint("0 steps")), Contains("0 is out of range; write 1 to"));
  CHECK_THAT(scenario_error(with_checkpoint("often steps")), Contains("'often' is not a number"));
  CHECK_THAT(scenario_error(with_checkpoint("1 us")),
             Contains("1 us is too often; write 10 ms or more"));
  CHECK_THAT(scenario_error(with_checkpoint("{keep: 3}")), Contains("every"));
  CHECK_THAT(scenario_error(with_checkpoint("{every: 5 steps, keep: 0}")),
             Contains("0 is out of range"));
}

TEST_CASE("same training: the key that decides other numbers is named") {
  const Scenario first = only(std::string(kKeptHead) + "training: {workers: 2, batch_size: 16}\n");
  const auto difference = [&](const std::vector<std::string>& overrides) {
    const auto found = difference_in_training(
        first,
        only(std::string(kKeptHead) + "training: {workers: 2, batch_size: 16}\n", overrides));
    return found ? found->key + ": " + found->first + ", " + found->second : std::string("none");
  };
  CHECK(difference({}) == "none");
  CHECK(difference({"training.batch_size=8"}) == "training.batch_size: 16, 8");
  CHECK(difference({"seed=2"}) == "seed: 1, 2");
  CHECK(difference({"training.init.kind=normal"}).starts_with("training.init: "));
  CHECK(difference({"training.optimizer.learning_rate=0.5"})
            .starts_with("training.optimizer.learning_rate: "));
  for (const char* other :
       {"name=x", "question=why", "checkpoint=5 steps", "transport.pin=off", "training.threads=2",
        "training.silence_limit=9 s", "training.rejoin_limit=9 s", "training.servers=2",
        "faults=[{at: 1 s, kill: worker1}]"}) {
    CHECK(difference({other}) == "none");
  }
}

TEST_CASE("same scenario: any key that differs is named, but what is for people") {
  const std::string text = std::string(kKeptHead) + "training: {workers: 2, batch_size: 16}\n";
  const auto key = [&](const std::string& setting) {
    const auto found = difference_in_scenario(only(text), only(text, {setting}));
    return found ? found->key : std::string("none");
  };
  CHECK_FALSE(difference_in_scenario(only(text), only(text)));
  for (const std::string other : {"name=x", "training.threads=2", "seed=2"}) {
    CHECK(key(other) == other.substr(0, other.find('=')));
  }
  CHECK(key("transport.pin=off").starts_with("transport"));
  CHECK(key("question=why") == "none");
  CHECK(key("checkpoint=5 steps").starts_with("checkpoint"));
  CHECK(key("faults=[{at: 1 s, kill: worker1}]") == "faults");
}

TEST_CASE("same training: where links choose the algorithm, the cluster is part of it") {
  const auto difference = [](const std::string& algorithm) {
    const auto with_nic = [&](const std::string& nic) {
      return only(std::string(kKeptHead) +
                  "training: {strategy: all_reduce, workers: 4, batch_size: 16, algorithm: " +
                  algorithm + "}\ncluster: {hosts: [{name: node, count: 4, nic: " + nic + "}]}\n");
    };
    const auto found = difference_in_training(with_nic("1 Gbps"), with_nic("10 Gbps"));
    return found ? found->key : std::string("none");
  };
  CHECK(difference("auto") == "cluster.hosts");
  CHECK(difference("ring") == "none");
  CHECK(difference("by_size") == "none");
}

}  // namespace
}  // namespace foretrain
