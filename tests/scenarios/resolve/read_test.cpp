// Reading a scenario: values, defaults, errors.
#include "scenarios/resolve/read.h"

#include "scenarios/library/machine_file.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/reference.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace foretrain;

namespace {

const std::string kCluster =
    "foretrain: 1\n"
    "training: {workers: 3}\n"
    "cluster:\n"
    "  hosts:\n"
    "    - {name: node, count: 3, cores: 10, nic: 10 Gbps, latency: 30 us}\n"
    "    - {name: spare, compute: 20 ms}\n"
    "  placement: {servers: [spare], workers: [node0, node1, node2]}\n";

}  // namespace

TEST_CASE("read: evaluations come after so many steps, or examples of all") {
  const auto read = [](const std::string& every) {
    return only("foretrain: 1\ntraining: {steps: 9, evaluate_every: " + every + "}\n").training;
  };
  for (const char* steps : {"12", "12 steps"}) {
    CHECK(read(steps).evaluate_every == 12);
    CHECK_FALSE(read(steps).evaluate_by_examples);
  }
  for (const char* examples : {"5000 examples", "5000examples"}) {
    CHECK(read(examples).evaluate_every == 5000);
    CHECK(read(examples).evaluate_by_examples);
  }
  CHECK(read("1 example").evaluate_by_examples);
  Scenario scenario = only("foretrain: 1\ntraining: {steps: 9, evaluate_every: 40 examples}\n");
  CHECK(only(to_yaml(scenario)) == scenario);
  const auto wrong = [](const std::string& every) {
    return scenario_error("foretrain: 1\ntraining: {steps: 9, evaluate_every: " + every + "}\n");
  };
  CHECK(wrong("examples").find("training.evaluate_every") != std::string::npos);
  CHECK(wrong("-5 examples").find("training.evaluate_every") != std::string::npos);
  CHECK(wrong("5 epochs").find("training.evaluate_every") != std::string::npos);
}

TEST_CASE("read: a file of nothing but its version is all defaults, for one epoch") {
  Scenario expected;
  expected.name = "x";
  expected.training.epochs = 1;
  CHECK(only("foretrain: 1\n") == expected);
}

TEST_CASE("read: every key reaches its member") {
  const Scenario s = only(
      "foretrain: 1\nname: n\nquestion: Why?\nseed: 18446744073709551615\nmodel: softmax\n"
      "dataset: {format: idx, path: d, take: 10, test_take: 5}\n"
      "training: {strategy: async, workers: 4, servers: 2, batch_size: 8, updates: 9,\n"
      "  optimizer: {name: sgd, learning_rate: 0.25}, evaluate_every: 7, bucket_size: 64 KiB,\n"
      "  silence_limit: 500 ms}\n"
      "numerics: off\n"
      "stragglers: [{workers: [2, 0], slowdown: 2.0},\n"
      "  {workers: all, distribution: shifted_exponential, shift: 0.5}]\n");
  CHECK(s.name == "n");
  CHECK(s.question == "Why?");
  CHECK(s.seed == UINT64_MAX);
  CHECK(s.dataset.format == "idx");
  CHECK(s.dataset.path == "d");
  CHECK(s.dataset.take == 10);
  CHECK(s.dataset.test_take == 5);
  CHECK(s.dataset.seed == 1);
  CHECK(s.training.strategy == "async");
  CHECK(s.training.workers == 4);
  CHECK(s.training.servers == 2);
  CHECK(s.training.batch_size == 8);
  CHECK(s.training.updates == 9);
  CHECK(s.training.epochs == 0);
  CHECK(s.training.optimizer == OptimizerSpec{"sgd", 0.25});
  CHECK(s.training.evaluate_every == 7);
  CHECK(s.training.bucket_size == Bytes{65'536});
  CHECK(s.training.silence_limit == Duration{500'000'000});
  CHECK_FALSE(s.numerics);
  REQUIRE(s.stragglers.size() == 2);
  CHECK(s.stragglers[0].workers == std::vector<int>{2, 0});
  CHECK(s.stragglers[0].slowdown == 2);
  CHECK(s.stragglers[1].workers.empty());
  CHECK(s.stragglers[1].shift == 0.5);
}

TEST_CASE("read: a cluster keeps its hosts with their units") {
  const Scenario s = only(kCluster);
  REQUIRE(s.cluster.hosts.size() == 2);
  CHECK(s.cluster.hosts[0].count == 3);
  CHECK(s.cluster.hosts[0].nic.value == 1.25e9);
  CHECK(s.cluster.hosts[0].latency == Duration{30'000});
  CHECK(s.cluster.hosts[1].compute == Duration{20'000'000});
  CHECK(s.cluster.placement.servers == std::vector<std::string>{"spare"});
}

TEST_CASE("read: an unknown key is told the nearest, where one is near") {
  CHECK(scenario_error("foretrain: 1\ntraining:\n  wrkers: 3\n") ==
        "x.yaml:3:3: training.wrkers: unknown key; did you mean training.workers?");
  CHECK(scenario_error("foretrain: 1\ncluster:\n  hosts:\n    - {name: a, nic_rate: 3}\n") ==
        "x.yaml:4:17: cluster.hosts[0].nic_rate: unknown key; the keys here are name, count, "
        "cores, nic, burst, latency, flow_rate, ports, transport, machine, compute, gflops, "
        "memory_bandwidth, "
        "overhead, send, receive, devices, device_name, device, device_updates, device_link, "
        "measured, mtbf, restart_after, price, bought, like");
  CHECK(scenario_error("foretrain: 1\nbatch_size: 3\n") ==
        "x.yaml:2:1: batch_size: unknown key; did you mean training.batch_size?");
  CHECK(scenario_error("foretrain: 1\nswep: 3\n").find("did you mean sweep?") != std::string::npos);
}

TEST_CASE("read: a model of which its size alone is known is told the command that makes one") {
  for (const char* key : {"parameters: 110M", "step: 0.35 s", "measured_at: 8 workers"}) {
    CAPTURE(key);
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    CHECK(scenario_error("foretrain: 1\nmodel: {" + std::string(key) + "}\n") ==
          "x.yaml:2:9: model." + name +
              ": unknown key; leave model out; foretrain import SCENARIO --parameters 110M --step "
              "'350 ms' --workers 8 finds the time of a gradient");
  }
}

TEST_CASE("read: a misspelt key is told before the one that it leaves missing") {
  CHECK(scenario_error("foretrain: 1\ncluster: {hosts: [{nmae: a}]}\n") ==
        "x.yaml:2:20: cluster.hosts[0].nmae: unknown key; did you mean cluster.hosts[0].name?");
  CHECK(scenario_error("foretrain: 1\nstragglers: [{factor: 2}]\n") ==
        "x.yaml:2:15: stragglers[0].factor: unknown key; did you mean slowdown?");
}

TEST_CASE("read: a bare number for a bandwidth is told a unit") {
  CHECK(scenario_error("foretrain: 1\ncluster:\n  hosts:\n    - {name: a, nic: 10}\n") ==
        "x.yaml:4:22: cluster.hosts[0].nic: 10 has no unit; write for instance 10 Gbps");
}

TEST_CASE("read: negative workers are out of range") {
  CHECK(scenario_error("foretrain: 1\ntraining:\n  strategy: sync\n  workers: -2\n") ==
        "x.yaml:4:12: training.workers: -2 is out of range; write 1 to 100000");
  CHECK(scenario_error("foretrain: 1\ntraining: {workers: 0}\n") ==
        "x.yaml:2:21: training.workers: 0 is out of range; write 1 to 100000");
}

TEST_CASE("read: a silence limit is 3 s unless it is given, from 100 ms to 1 h") {
  CHECK(only("foretrain: 1\n").training.silence_limit == Duration{3'000'000'000});
  for (const char* limit : {"100 ms", "3600 s"}) {
    CHECK(scenario_error("foretrain: 1\ntraining: {silence_limit: " + std::string(limit) + "}\n") ==
          "(no error)");
  }
  for (const char* limit : {"99 ms", "3601 s"}) {
    CHECK(scenario_error("foretrain: 1\ntraining: {silence_limit: " + std::string(limit) + "}\n") ==
          "x.yaml:2:27: training.silence_limit: " + std::string(limit) +
              " is out of range; write 100 ms to 3600 s");
  }
}

TEST_CASE("read: a scenario of another version is refused at its number") {
  CHECK(scenario_error("foretrain: 2\n") ==
        "x.yaml:1:12: foretrain: this program reads version 1, not 2; use a foretrain that reads "
        "it, or write the file in version 1");
  CHECK(scenario_error("name: a\n") ==
        "x.yaml:1:1: foretrain: missing; begin the file with foretrain: 1");
  CHECK(scenario_error("foretrain_machine: 1\n").find("this is a machine file") !=
        std::string::npos);
  CHECK(scenario_error("[1]\n").find("x.yaml:1:1: foretrain: a list") == 0);
  CHECK(scenario_error("foretrain: 1\n", {"foretrain=2"}).find("--set foretrain=2: foretrain: ") ==
        0);
}

TEST_CASE("read: a key that no case uses is an error") {
  CHECK(scenario_error("foretrain: 1\ntraining:\n  strategy: single\n  workers: 3\n") ==
        "x.yaml:4:12: training.workers: set to 3, but no case uses it (this strategy "
        "has one worker); remove it");
  CHECK(scenario_error("foretrain: 1\ndataset: {path: d}\n").find("x.yaml:2:17: dataset.path: ") ==
        0);
  CHECK(scenario_error("foretrain: 1\ndataset: {format: idx, path: d, seed: 2}\n")
            .find("x.yaml:2:39: dataset.seed: set to 2, but no case uses it") == 0);
  CHECK(scenario_error("foretrain: 1\nstragglers: [{sigma: 1}]\n")
            .find("x.yaml:2:22: stragglers[0].sigma: ") == 0);
}

TEST_CASE("read: a key that one case of a sweep uses is fine, as is a default") {
  const auto cases = parse_scenario(
      "foretrain: 1\ntraining: {workers: 3}\nsweep: {training.strategy: [single, sync]}\n", "x");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.training.workers == 1);
  CHECK(cases[1].scenario.training.workers == 3);
  CHECK(only("foretrain: 1\ntraining: {strategy: single, workers: 1}\n").training.workers == 1);
}

TEST_CASE("read: an alias bomb and a binary file are refused with their place") {
  std::string bomb = "foretrain: 1\na: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i > 0 ? ", *" : "*") + char(c - 1);
    bomb += "]\n";
  }
  CHECK(scenario_error(bomb).find("x.yaml:5:36: more than 10000 values") == 0);
  CHECK(scenario_error(std::string("PK\x03\x04\x00", 5)).find("x.yaml:1:3: byte 0x03") == 0);
}

TEST_CASE("read: a wrong kind of value is told what to write") {
  CHECK(scenario_error("foretrain: 1\ntraining: sync\n")
            .find("x.yaml:2:11: training: a scalar; write a mapping") == 0);
  CHECK(scenario_error("foretrain: 1\ncluster: {hosts: {name: a}}\n") ==
        "x.yaml:2:18: cluster.hosts: a mapping; write a list");
  CHECK(scenario_error("foretrain: 1\nseed: [1]\n") ==
        "x.yaml:2:7: seed: a list; write a whole number");
  CHECK(scenario_error("foretrain: 1\nseed:\n").find("seed: empty; write a whole number") !=
        std::string::npos);
  CHECK(scenario_error("foretrain: 1\nnumerics: maybe\n") ==
        "x.yaml:2:11: numerics: 'maybe' is neither on nor off; write one of them");
  CHECK(scenario_error("foretrain: 1\nstragglers: [{workers: [0, x]}]\n") ==
        "x.yaml:2:28: stragglers[0].workers[1]: 'x' is not a number; write a whole number");
}

TEST_CASE("read: an unknown choice is told the nearest, or all") {
  CHECK(scenario_error("foretrain: 1\ntraining: {strategy: asinc}\n") ==
        "x.yaml:2:22: training.strategy: asinc is unknown; did you mean async?");
  CHECK(scenario_error("foretrain: 1\ntraining: {strategy: fastest}\n")
            .find("fastest is unknown; choose one of single, sync, async") != std::string::npos);
  CHECK(scenario_error("foretrain: 1\nmodel: resnet\n").find("x.yaml:2:8: model.name: ") == 0);
  CHECK(scenario_error("foretrain: 1\ntraining: {optimizer: {name: sdg}}\n")
            .find("did you mean sgd?") != std::string::npos);
  CHECK(scenario_error("foretrain: 1\ncluster: {topology: ring}\n").find("x.yaml:2:21: ") == 0);
}

TEST_CASE("read: numbers that no training can have are refused") {
  for (const char* line : {"training: {optimizer: {learning_rate: 0}}",
                           "training: {optimizer: {learning_rate: nan}}",
                           "training: {epochs: 0}",
                           "training: {steps: 0}",
                           "training: {batch_size: 1.5}",
                           "training: {bucket_size: 0 B}",
                           "training: {bucket_size: 1000000}",
                           "seed: -1",
                           "seed: 18446744073709551616",
                           "dataset: {take: -1}",
                           "training: {workers: 1000000}",
                           "stragglers: [{slowdown: 0}]",
                           "stragglers: [{distribution: pareto, shape: 1}]",
                           "stragglers: [{distribution: shifted_exponential, shift: 1.5}]",
                           "stragglers: [{distribution: lognormal}]",
                           "stragglers: [{workers: []}]",
                           "stragglers: [{workers: [0, 0]}]",
                           "cluster: {hosts: [{name: a, nic: 0 Gbps}]}",
                           "cluster: {hosts: [{name: a, compute: 0 s}]}",
                           "cluster: {hosts: [{name: ''}]}",
                           "cluster: {hosts: [{cores: 2}]}",
                           "name: ''",
                           "dataset: {format: idx}"}) {
    INFO(line);
    CHECK(scenario_error(std::string("foretrain: 1\n") + line + "\n").find("x.yaml:2:") == 0);
  }
}

TEST_CASE("read: a length is given in one way") {
  CHECK(scenario_error("foretrain: 1\ntraining:\n  steps: 5\n  epochs: 2\n") ==
        "x.yaml:4:11: training.epochs: training.steps gives the length of the training, too "
        "(x.yaml:3:10); keep one (--set training.steps=null removes it)");
}

TEST_CASE("read: hosts have one name each and one source of their speed") {
  CHECK(scenario_error("foretrain: 1\ncluster:\n  hosts:\n    - {name: a, count: 2}\n"
                       "    - {name: a1}\n") ==
        "x.yaml:5:14: cluster.hosts[1].name: a second host a1; rename one");
  CHECK(scenario_error("foretrain: 1\ncluster: {hosts: [{name: a, machine: m, compute: 1 s}]}\n")
            .find("x.yaml:2:50: cluster.hosts[0].compute: ") == 0);
}

TEST_CASE("read: a placement names hosts that are there, one for each node") {
  CHECK(scenario_error(kCluster, {"cluster.placement.workers=[node0, node1, node9]"})
            .find("cluster.placement.workers[2]: there is no host node9; there are node0, node1, "
                  "node2, spare") != std::string::npos);
  CHECK(scenario_error(kCluster, {"training.workers=2"})
            .find("x.yaml:7:42: cluster.placement.workers: names 3 hosts, but 2 are needed") == 0);
  CHECK(scenario_error("foretrain: 1\ncluster: {placement: {workers: [a], servers: [a]}}\n")
            .find("x.yaml:2:33: cluster.placement.workers[0]: there is no cluster.hosts") == 0);
}

TEST_CASE("read: single is placed where the first worker of the others is") {
  const Scenario s = only(kCluster, {"training.strategy=single", "training.workers=null"});
  CHECK(s.cluster.placement.workers == std::vector<std::string>{"node0"});
  CHECK(s.cluster.placement.servers.empty());
}

TEST_CASE("read: a ring is placed where all of its workers are without servers") {
  const Scenario s = only(kCluster, {"training.strategy=all_reduce"});
  CHECK(s.cluster.placement.workers == std::vector<std::string>{"node0", "node1", "node2"});
  CHECK(s.cluster.placement.servers.empty());
  CHECK(scenario_error(kCluster, {"training.strategy=all_reduce", "training.workers=2"})
            .find("x.yaml:7:42: cluster.placement.workers: names 3 hosts, but 2 are needed") == 0);
}

TEST_CASE("read: a straggler on a worker that no case has is an error") {
  CHECK(scenario_error("foretrain: 1\ntraining: {workers: 2}\nstragglers: [{workers: [1, 2]}]\n") ==
        "x.yaml:3:28: stragglers[0].workers[1]: there is no worker 2; there are 2 workers, "
        "counted from 0");
}

TEST_CASE("read: cases with fewer workers leave out the stragglers that they do not have") {
  const auto cases = parse_scenario(
      "foretrain: 1\nstragglers: [{workers: [1], slowdown: 2}, {workers: [0, 1]}]\n"
      "sweep: {training.workers: [1, 2]}\n",
      "x.yaml");
  REQUIRE(cases.size() == 2);
  REQUIRE(cases[0].scenario.stragglers.size() == 1);
  CHECK(cases[0].scenario.stragglers[0].workers == std::vector<int>{0});
  CHECK(cases[1].scenario.stragglers.size() == 2);
}

TEST_CASE("read: a resolved scenario reads back as the same value") {
  const std::string stragglers =
      "stragglers: [{workers: [2], slowdown: 1.1}, {distribution: lognormal, sigma: 0.2},\n"
      "  {workers: [0, 1], distribution: pareto, shape: 2.5}, {distribution: exponential}]\n";
  for (const char* strategy : {"single", "sync", "async"}) {
    for (const char* length : {"training.steps=5", "training.epochs=0.1", "training.updates=7"}) {
      for (const char* name : {"name=plain", "name='a: #b \"c\"'", "question=\"two\\nlines\""}) {
        const auto cases = parse_scenario(
            kCluster + stragglers +
                "sweep: {training.strategy: " + "[single, sync, async], dataset.seed: [1, 7]}\n",
            "x.yaml",
            {length, name, "training.bucket_size=4 KiB",
             "sweep.training.strategy=[sync, " +
                 std::string(strategy == std::string("sync") ? "async" : strategy) + "]"});
        for (const Case& c : cases) {
          INFO(to_yaml(c.scenario));
          CHECK(only(to_yaml(c.scenario)) == c.scenario);
        }
      }
    }
  }
}

TEST_CASE("read: the place of every key that was given is known") {
  const Case c = parse_scenario("foretrain: 1\ndataset:\n  take: 5\n", "x.yaml").at(0);
  CHECK(c.place_of("dataset.take") == "x.yaml:3:9");
  CHECK(c.place_of("dataset.path") == "x.yaml:3:3");
  CHECK(c.place_of("training.workers") == "x.yaml:1:1");
}

namespace {
// Whether the file is a machine file instead of a scenario.
bool is_machine(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("foretrain_machine:")) return true;
  }
  return false;
}
}  // namespace

TEST_CASE("read: every committed scenario is one that can be read") {
  namespace fs = std::filesystem;
  int count = 0;
  for (const auto& file : fs::recursive_directory_iterator(source_dir() + "/scenarios")) {
    if (file.path().extension() != ".yaml") continue;
    const std::string folder = file.path().parent_path().filename();
    if (folder == "hardware" || folder == "devices" || folder == "networks" ||
        folder == "frameworks")
      continue;
    INFO(file.path());
    if (file.path().stem().string().ends_with("machine") && is_machine(file.path())) {
      CHECK_NOTHROW(read_machine(file.path()));
      continue;
    }
    for (const Case& c : read_scenario(file.path().string(), {})) {
      CHECK_FALSE(c.scenario.question.empty());
      CHECK(only(to_yaml(c.scenario)) == c.scenario);
    }
    ++count;
  }
  CHECK(count >= 2);
}

TEST_CASE("read: the committed schema is the one of this program") {
  std::ifstream in(source_dir() + "/scenarios/schema.json");
  std::stringstream committed;
  committed << in.rdbuf();
  CHECK(committed.str() == scenario_schema());
}

TEST_CASE("read: the schema lists the keys that the reader takes") {
  const auto keys = scenario_keys();
  for (const char* key : {"foretrain", "sweep", "training.optimizer.learning_rate",
                          "cluster.hosts[].nic", "stragglers[].shape", "dataset.path"}) {
    INFO(key);
    CHECK(std::ranges::find(keys, key) != keys.end());
  }
}
