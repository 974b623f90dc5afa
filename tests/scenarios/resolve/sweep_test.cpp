// Sweeps, with the effect of --set on them.
#include "scenarios/resolve/expand_sweep.h"
#include "tests/scenarios/messages.h"

using namespace foretrain;

namespace {

const std::string kGrid =
    "foretrain: 1\n"
    "training: {workers: 2, steps: 5}\n"
    "sweep:\n"
    "  training.strategy: [sync, async]\n"
    "  training.workers: [1, 2, 3]\n";

std::vector<std::string> labels(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> result;
  for (const Case& c : parse_scenario(text, "x.yaml", overrides)) result.push_back(c.label());
  return result;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("sweep: a grid is all combinations, the last key fastest") {
  CHECK(labels(kGrid) == Labels{"strategy=sync,workers=1", "strategy=sync,workers=2",
                                "strategy=sync,workers=3", "strategy=async,workers=1",
                                "strategy=async,workers=2", "strategy=async,workers=3"});
  const auto cases = parse_scenario(kGrid, "x.yaml");
  CHECK(cases[5].scenario.training.strategy == "async");
  CHECK(cases[5].scenario.training.workers == 3);
  CHECK(cases[5].settings ==
        std::vector<Setting>{{"training.strategy", "async"}, {"training.workers", "3"}});
}

TEST_CASE("sweep: a list is its cases") {
  const std::string text =
      "foretrain: 1\nsweep:\n  - {training.workers: 2}\n"
      "  - {training.workers: 4, training.servers: 2}\n";
  CHECK(labels(text) == Labels{"workers=2", "workers=4,servers=2"});
}

TEST_CASE("sweep: a grid in a list is all its combinations among the other cases") {
  const std::string text =
      "foretrain: 1\nsweep:\n"
      "  - grid: {training.strategy: [sync, async], training.workers: [1, 2]}\n"
      "  - {training.strategy: ssp, training.staleness: 4}\n"
      "  - grid: {model: [mlp], seed: [7, 8]}\n";
  CHECK(labels(text) == Labels{"strategy=sync,workers=1", "strategy=sync,workers=2",
                               "strategy=async,workers=1", "strategy=async,workers=2",
                               "strategy=ssp,staleness=4", "model=mlp,seed=7", "model=mlp,seed=8"});
  const auto cases = parse_scenario(text, "x.yaml");
  CHECK(cases[3].scenario.training.strategy == "async");
  CHECK(cases[3].scenario.training.workers == 2);
  CHECK(cases[3].scenario.seed == 1);
  CHECK(cases[6].scenario.model.name == "mlp");
  CHECK(cases[6].scenario.training.workers == 1);
}

TEST_CASE("sweep: keys beside a grid hold for all its cases in the order of writing") {
  const std::string text =
      "foretrain: 1\nsweep:\n"
      "  - {dataset: {format: digits, take: 90}, grid: {dataset.take: [50, 60]}, seed: 3}\n";
  CHECK(labels(text) == Labels{"dataset=-format--digits,-take--90-,take=50,seed=3",
                               "dataset=-format--digits,-take--90-,take=60,seed=3"});
  const auto cases = parse_scenario(text, "x.yaml");
  CHECK(cases[1].scenario.dataset.take == 60);
  CHECK(cases[1].scenario.seed == 3);
}

TEST_CASE("sweep: errors in a grid point at its key or value") {
  const auto in_grid = [](const std::string& grid) {
    return scenario_error("foretrain: 1\nsweep:\n  - seed: 2\n  - {seed: 3, grid: " + grid + "}\n");
  };
  CHECK(in_grid("{training.workers: 3}") ==
        "x.yaml:4:40: sweep[1].grid.training.workers: no list; write the values to try: [a, b]");
  CHECK(in_grid("{training.workers: []}").find("sweep[1].grid.training.workers: an empty list") !=
        std::string::npos);
  CHECK(in_grid("[1, 2]") ==
        "x.yaml:4:21: sweep[1].grid: no grid; write a mapping: {training.workers: [1, 2]}");
  CHECK(in_grid("{}").find("x.yaml:4:21: sweep[1].grid: an empty grid; ") == 0);
  CHECK(in_grid("{seed: [4, 5]}") ==
        "x.yaml:4:22: sweep[1].grid: seed is also outside the grid; write it once");
  CHECK(in_grid("{training.wrkers: [1]}") ==
        "x.yaml:4:22: training.wrkers: unknown key; did you mean training.workers?");
  CHECK(in_grid("{training.workers: [1, -3]}") ==
        "x.yaml:4:44: training.workers: -3 is out of range; write 1 to 100000");
  CHECK(in_grid("{a..b: [1]}").find("x.yaml:4:22: sweep: 'a..b' is no path") == 0);
}

TEST_CASE("sweep: without one the label is the scenario's name, fit for a folder") {
  CHECK(labels("foretrain: 1\nname: a b/c\n") == Labels{"a-b-c"});
  CHECK(labels("foretrain: 1\nname: ../x\n") == Labels{"-..-x"});
}

TEST_CASE("sweep: a path may lead into a list, with brackets or dots") {
  const std::string text =
      "foretrain: 1\ncluster: {hosts: [{name: a}, {name: b}]}\n"
      "sweep: {cluster.hosts.1.nic: [1 Gbps, 10 Gbps], 'cluster.hosts[0].latency': [1 us]}\n";
  const auto cases = parse_scenario(text, "x.yaml");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].scenario.cluster.hosts[1].nic.value == 1.25e8);
  CHECK(cases[1].scenario.cluster.hosts[1].nic.value == 1.25e9);
  CHECK(cases[1].scenario.cluster.hosts[0].latency == Duration{1'000});
  CHECK(cases[0].settings[0].key == "cluster.hosts[1].nic");
}

TEST_CASE("sweep: errors point at the sweep's value or key") {
  CHECK(scenario_error("foretrain: 1\nsweep: {training.workers: [1, -3]}\n") ==
        "x.yaml:2:31: training.workers: -3 is out of range; write 1 to 100000");
  CHECK(scenario_error("foretrain: 1\nsweep: {training.wrkers: [1]}\n") ==
        "x.yaml:2:9: training.wrkers: unknown key; did you mean training.workers?");
  CHECK(scenario_error("foretrain: 1\nsweep: {training.workers: 3}\n") ==
        "x.yaml:2:27: sweep.training.workers: no list; write the values to try: [a, b]");
  CHECK(scenario_error("foretrain: 1\nsweep: {training.workers: []}\n").find("x.yaml:2:27: ") == 0);
  CHECK(scenario_error("foretrain: 1\nsweep: {'cluster.hosts[2].nic': [1 Gbps]}\n")
            .find("x.yaml:2:9: cluster.hosts[2].nic: there is no list cluster.hosts") == 0);
  CHECK(scenario_error("foretrain: 1\nsweep: {'a..b': [1]}\n").find("x.yaml:2:9: sweep: ") == 0);
  CHECK(scenario_error("foretrain: 1\nsweep: 3\n").find("x.yaml:2:8: sweep: ") == 0);
  CHECK(scenario_error("foretrain: 1\nsweep: []\n").find("x.yaml:2:8: sweep: ") == 0);
}

TEST_CASE("sweep: an index beyond a list is told the indices there are") {
  CHECK(scenario_error("foretrain: 1\ncluster: {hosts: [{name: a}, {name: b}]}\n"
                       "sweep: {'cluster.hosts[2].cores': [1]}\n") ==
        "x.yaml:3:9: cluster.hosts[2].cores: cluster.hosts has the items 0 to 1; write one of "
        "these indices");
}

TEST_CASE("sweep: more than ten thousand cases are refused before they are made") {
  std::string values = "[1";
  for (int i = 2; i <= 200; ++i) values += ", " + std::to_string(i);
  values += "]";
  CHECK(scenario_error("foretrain: 1\nsweep: {training.workers: " + values + ", seed: " + values +
                       "}\n")
            .find("sweep: more than 10000 cases") != std::string::npos);
}

TEST_CASE("sweep: grids of more than ten thousand cases together are refused") {
  std::string values = "[1";
  for (int i = 2; i <= 60; ++i) values += ", " + std::to_string(i);
  const std::string grid =
      "  - grid: {training.workers: " + values + "], training.batch_size: " + values + "]}\n";
  std::string text = "foretrain: 1\nsweep:\n";
  for (int i = 0; i < 3; ++i) text += grid;
  CHECK(scenario_error(text).find("x.yaml:5:") == 0);
  CHECK(scenario_error(text).find("sweep: more than 10000 cases") != std::string::npos);
}

TEST_CASE("sweep: two equal cases are refused") {
  CHECK(scenario_error("foretrain: 1\nsweep:\n  - seed: 2\n  - grid: {seed: [1, 2]}\n") ==
        "x.yaml:2:1: sweep: cases 1 and 3 are both seed=2; make them differ");
  CHECK(scenario_error("foretrain: 1\nsweep: {seed: [1, 2, 1]}\n") ==
        "x.yaml:2:1: sweep: cases 1 and 3 are both seed=1; make them differ");
}

TEST_CASE("set: a value lands in the file's place, and messages name it") {
  CHECK(only("foretrain: 1\n", {"training.workers=3"}).training.workers == 3);
  CHECK(only("foretrain: 1\n", {"dataset={take: 5}"}).dataset.take == 5);
  CHECK(only("foretrain: 1\nstragglers: [{workers: all}]\n", {"stragglers[0].slowdown=2"})
            .stragglers[0]
            .slowdown == 2);
  CHECK(scenario_error("foretrain: 1\n", {"training.wrkers=3"}) ==
        "--set training.wrkers=3: training.wrkers: unknown key; did you mean training.workers?");
  CHECK(scenario_error("foretrain: 1\n", {"training.workers=-1"}) ==
        "--set training.workers=-1: training.workers: -1 is out of range; write 1 to 100000");
}

TEST_CASE("set: a later one wins") {
  CHECK(only("foretrain: 1\nseed: 1\n", {"seed=2", "seed=3"}).seed == 3);
}

TEST_CASE("set: a key that the sweep varies is fixed") {
  CHECK(labels(kGrid, {"training.workers=2"}) == Labels{"strategy=sync", "strategy=async"});
  CHECK(labels(kGrid, {"training.workers=2", "training.strategy=sync"}) == Labels{"x"});
  CHECK(only(kGrid, {"training.workers=7", "training.strategy=async"}).training.workers == 7);
  const std::string list =
      "foretrain: 1\nsweep:\n  - {training.strategy: sync, seed: 1}\n"
      "  - {training.strategy: async, seed: 1}\n  - {training.strategy: async, seed: 2}\n";
  CHECK(labels(list, {"training.strategy=sync"}) == Labels{"seed=1", "seed=2"});
  CHECK(labels(list, {"training.strategy=sync", "seed=4"}) == Labels{"x"});
}

TEST_CASE("set: a key that a grid of a list varies is fixed in all cases") {
  const std::string text =
      "foretrain: 1\nsweep:\n"
      "  - grid: {training.strategy: [sync, async], training.workers: [1, 2]}\n"
      "  - {training.strategy: sync, training.workers: 3}\n"
      "  - {training.strategy: ssp, grid: {training.staleness: [0, 1], training.workers: [4]}}\n";
  CHECK(labels(text, {"training.workers=2"}) == Labels{"strategy=sync", "strategy=async",
                                                       "strategy=ssp,staleness=0",
                                                       "strategy=ssp,staleness=1"});
  CHECK(labels(text, {"seed=5"}) == labels(text));
  CHECK(labels(text, {"training.strategy=ssp", "training.staleness=2"}) ==
        Labels{"workers=1", "workers=2", "workers=3", "workers=4"});
  CHECK(labels("foretrain: 1\nsweep: [{grid: {seed: [1, 2]}}]\n", {"seed=3"}) == Labels{"x"});
  CHECK(only("foretrain: 1\nsweep: [{grid: {seed: [1, 2]}}]\n", {"seed=3"}).seed == 3);
}

TEST_CASE("set: what a fixed key makes unused is no setting any more, equal cases are one") {
  const std::string slow_worker =
      "foretrain: 1\ntraining: {workers: 4, steps: 5}\nsweep:\n"
      "  - {training.strategy: sync}\n  - {training.strategy: async}\n"
      "  - {training.strategy: ssp, training.staleness: 4}\n"
      "  - {training.strategy: ssp, training.staleness: 9}\n"
      "  - {training.strategy: sync, training.backup_workers: 1}\n";
  CHECK(labels(slow_worker, {"training.strategy=sync"}) ==
        Labels{"strategy=sync", "backup_workers=1"});
  CHECK(labels(slow_worker, {"training.strategy=async"}) == Labels{"x"});
  CHECK(labels(slow_worker, {"training.strategy=ssp"}) == Labels{"strategy=ssp", "staleness=9"});
  const auto cases = parse_scenario(slow_worker, "x.yaml", {"training.strategy=sync"});
  CHECK(cases[0].settings == std::vector<Setting>{{"training.strategy", "sync"}});
  CHECK(cases[1].settings == std::vector<Setting>{{"training.backup_workers", "1"}});
  const std::string grid =
      "foretrain: 1\ntraining: {steps: 5}\nsweep: {training.strategy: [sync, ssp], "
      "training.staleness: [0, 7], training.workers: [2, 3]}\n";
  CHECK(labels(grid, {"training.strategy=sync"}) == Labels{"workers=2", "workers=3"});
  CHECK(labels(grid, {"training.strategy=single"}) == Labels{"x"});
  CHECK(labels(grid, {"training.workers=2"}).size() == 3);  // sync once
}

TEST_CASE("set: what no case uses stays a mistake where no key of the sweep was fixed") {
  const std::string unused =
      "foretrain: 1\nsweep: {training.strategy: [sync, async], training.staleness: [4, 7]}\n";
  CHECK(scenario_error(unused, {"training.steps=5"}).find("but no case uses it") !=
        std::string::npos);
  CHECK(scenario_error(kGrid, {"training.strategy=sync", "training.staleness=7"})
            .find("--set training.staleness=7: training.staleness: set to 7, but no case uses") ==
        0);
}

TEST_CASE("sweep: a case that sets nothing has a name of its own beside others") {
  CHECK(labels("foretrain: 1\nsweep:\n  - {}\n  - {training.workers: 2}\n") ==
        Labels{"strategy=sync", "workers=2"});
}

TEST_CASE("set: a null value removes the key") {
  CHECK(labels(kGrid, {"sweep=null"}) == Labels{"x"});
  CHECK(only(kGrid, {"sweep=null"}).training.workers == 2);
  CHECK(only(kGrid, {"sweep=", "training.workers=null"}).training.workers == 1);
  CHECK(only(kGrid, {"sweep=null", "training.steps=null", "training.epochs=3"}).training.epochs ==
        3);
  CHECK(labels("foretrain: 1\n", {"sweep=null"}) == Labels{"x"});
  CHECK(scenario_error("foretrain: 1\n", {"training.wrkers=null"})
            .find("did you mean training.workers?") != std::string::npos);
}

TEST_CASE("set: a key can be swept from the command line") {
  CHECK(labels("foretrain: 1\n", {"sweep.seed=[1, 2]"}) == Labels{"seed=1", "seed=2"});
  CHECK(labels(kGrid, {"sweep.training.workers=[4]", "training.strategy=sync"}) ==
        Labels{"workers=4"});
  CHECK(labels("foretrain: 1\n", {"sweep={seed: [5]}"}) == Labels{"seed=5"});
}

TEST_CASE("set: what is no assignment is refused") {
  CHECK(scenario_error("foretrain: 1\n", {"seed"}) ==
        "--set seed: no value; write --set seed=VALUE");
  CHECK(scenario_error("foretrain: 1\n", {"=3"}).find("--set =3: '' is no path") == 0);
  CHECK(scenario_error("foretrain: 1\n", {"seed=[1"}).find("--set seed=[1: not YAML: ") == 0);
  CHECK(scenario_error("foretrain: 1\n", {"seed=\x01"}).find("U+0001") != std::string::npos);
  CHECK(scenario_error("foretrain: 1\nseed: 1\n", {"seed.x=2"}).find("seed is a scalar") !=
        std::string::npos);
}
