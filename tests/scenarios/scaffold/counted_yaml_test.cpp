// Scaffolds of counted networks: their settings fit into the devices that are there.
#include "scenarios/scaffold/counted_yaml.h"

#include "scenarios/library/library.h"
#include "scenarios/resolve/memory_fit.h"
#include "scenarios/resolve/read.h"
#include "scenarios/scaffold/place.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

std::vector<Case> cases_of(const std::string& model, const std::string& cluster,
                           const std::string& question = "") {
  const Scaffold scaffold = completed_scaffold({model, "", "", cluster, question});
  return parse_scenario(scaffold_yaml(scaffold, "mine.yaml"), "mine.yaml");
}

std::string error_with(const Scaffold& scaffold) {
  return error_of([&] { completed_scaffold(scaffold); });
}

TEST_CASE("counted scaffold: every network of the library can be forecast") {
  for (const std::string& name : library_names("networks")) {
    CAPTURE(name);
    const std::vector<Case> cases = cases_of(name, "p5.48xlarge x 64");
    REQUIRE(cases.size() == 1);
    const Scenario& scenario = cases.front().scenario;
    CHECK(scenario.model.network == name);
    CHECK(scenario.training.workers == 512);
    CHECK(scenario.question.starts_with("What limits this training"));
    CHECK_FALSE(scenario.numerics);
    CHECK(device_memory(prepare(cases.front(), Need::shape)).fits());
  }
}

TEST_CASE("counted scaffold: the settings are those of a training with Adam on all devices") {
  const Scenario scenario = cases_of("Llama-3-8B", "4 x P5.48xlarge").front().scenario;
  CHECK(scenario.model.network == "llama-3-8b");
  CHECK(scenario.model.sequence == 8192);
  CHECK(scenario.model.precision == "bf16");
  CHECK(scenario.cluster.hosts.front().count == 4);
  const TrainingSpec& training = scenario.training;
  CHECK(training.strategy == "all_reduce");
  CHECK(training.workers == 32);
  CHECK(training.shard == "parameters");
  CHECK(training.bucket_rule == "layer");
  CHECK(training.optimizer.name == "adam");
  CHECK(cases_of("gpt2", "dgx-1").front().scenario.model.precision == "fp16");
  CHECK(cases_of("gpt2", "n1-k80").front().scenario.model.precision == "fp32");
  CHECK(cases_of("gpt2", "n1-k80").front().scenario.training.shard != "parameters");
  CHECK(cases_of("gpt2", "dgx-1", "budget").front().scenario.training.steps == 10000);
}

TEST_CASE("counted scaffold: no more is recomputed than the memory requires") {
  const auto recompute = [](const char* model, const char* cluster) {
    return cases_of(model, cluster).front().scenario.training.recompute;
  };
  CHECK(recompute("llama-3-8b", "p5.48xlarge x 4") == "none");
  CHECK(recompute("llama-3-8b", "p4d.24xlarge x 4") == "selective");
  CHECK(recompute("llama-3-70b", "p5.48xlarge x 4") == "full");
  CHECK(recompute("llama-3-70b", "p4d.24xlarge") == "full");  // fits by no setting
}

TEST_CASE("counted scaffold: the batch is as large as fits, up to 8192 tokens") {
  const auto batch = [](const char* model, const char* cluster) {
    return cases_of(model, cluster).front().scenario.training.batch_size;
  };
  CHECK(batch("gpt2", "p5.48xlarge x 4") == 8);
  CHECK(batch("llama-3-8b", "p4d.24xlarge x 4") == 1);
  CHECK(batch("resnet50", "p5.48xlarge") == 64);
}

TEST_CASE("counted scaffold: a config.json is taken as it is named from here") {
  const TempFolder folder;
  const std::string config = folder / "config.json";
  CHECK_THAT(error_of([&] { cases_of(config, "dgx-a100"); }),
             Catch::Contains("config.json: no such file"));
  std::ofstream(folder / "config.json") << R"({"model_type": "gpt2", "vocab_size": 50257,
    "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024})";
  const Case drafted = cases_of(config, "dgx-a100").front();
  CHECK(drafted.scenario.model.config == config);
  CHECK(drafted.scenario.model.sequence == 1024);
  CHECK(device_memory(prepare(drafted, Need::shape)).fits());
}

TEST_CASE("counted scaffold: numbers of workers are compared from the first that fits") {
  std::vector<int> workers;
  for (const Case& each : cases_of("llama-3-8b", "p5.48xlarge x 4", "workers")) {
    workers.push_back(each.scenario.training.workers);
    CHECK(device_memory(prepare(each, Need::shape)).fits());
  }
  CHECK(workers == std::vector<int>{8, 16, 32});
}

TEST_CASE("counted scaffold: an answer that a network by name cannot have names its option") {
  CHECK(error_with({"gpt2", "", "", "laptop x 3", ""}) ==
        "--cluster laptop x 3: gpt2 needs hosts with devices, such as 'p5.48xlarge x 4'");
  CHECK(error_with({"gpt2", "digits", "", "dgx-1", ""}) ==
        "--data digits: gpt2 is forecast from its shape alone; leave it out");
  CHECK(error_with({"gpt2", "", "data", "dgx-1", ""}).starts_with("--path data: gpt2"));
  CHECK(error_with({"gpt2", "", "", "dgx-1", "strategy"}) ==
        "--question strategy: write one of bottleneck, workers, budget");
}

TEST_CASE(
    "counted scaffold: a scenario may name a network in any case, and finds what was measured") {
  const std::vector<Case> cases = parse_scenario(
      "foretrain: 1\nmodel: {network: ResNet50, precision: fp32}\nnumerics: off\n"
      "training: {strategy: all_reduce, workers: 1, batch_size: 128, steps: 4}\n"
      "cluster: {hosts: [{like: DGX-1}]}\n",
      "x.yaml");
  CHECK(cases.front().scenario.model.network == "resnet50");
  CHECK(cases.front().scenario.model.profile_network == "resnet50");
}

TEST_CASE("scaffold hosts: their number stands before or behind the name") {
  const auto asked = [](std::string_view cluster) {
    const HostsAsked hosts = asked_hosts(cluster);
    return std::pair(hosts.name, hosts.count);
  };
  using Hosts = std::pair<std::string, int>;
  CHECK(asked("4 x p5.48xlarge") == Hosts("p5.48xlarge", 4));
  CHECK(asked("4xP5.48XLARGE") == Hosts("p5.48xlarge", 4));
  CHECK(asked("p5.48xlarge x 4") == Hosts("p5.48xlarge", 4));
  CHECK(asked("2 x rtx4090-8") == Hosts("rtx4090-8", 2));
  CHECK(asked("rtx4090-8") == Hosts("rtx4090-8", 1));
  CHECK(asked("nobody x 3") == Hosts("nobody", 3));
  for (const char* own : {"3 machines of mine", "3 machines", "3 of my own hosts", "3 x mine"}) {
    CAPTURE(own);
    CHECK(asked(own) == Hosts(std::string(kOwnHost), 3));
  }
  CHECK(asked("3 machines of theirs").first == "3 machines of theirs");
  CHECK(error_of([] { asked_hosts("0 x dgx-1"); }) == "--cluster 0 x dgx-1: write 1 to 512 hosts");
}

}  // namespace
}  // namespace foretrain
