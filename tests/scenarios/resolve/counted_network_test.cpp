// Counted networks: their keys, their errors, the rates of devices.
#include "scenarios/resolve/counted_network.h"

#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <fstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::string kCountedHost = "{like: dgx-a100}";

std::string counted_text(const std::string& model, const std::string& training = "steps: 3",
                         const std::string& hosts = kCountedHost) {
  return "foretrain: 1\nname: counted\nmodel: {" + model +
         "}\ntraining: {strategy: all_reduce, workers: 8, batch_size: 4, " + training +
         "}\ncluster: {hosts: [" + hosts + "]}\n";
}

Prepared counted_case(const std::string& text) {
  return prepare(parse_scenario(text, "x.yaml").at(0), Need::shape);
}

/// The message of reading or of preparing.
std::string counted_error(const std::string& text) {
  return error_of([&] { counted_case(text); });
}

TEST_CASE("counted network: a batch of the library's network") {
  const Prepared ready = counted_case(counted_text("network: gpt2, sequence: 512"));
  REQUIRE(ready.counted != nullptr);
  const CountedNetwork& network = *ready.counted;
  CHECK(network.parameters() == 124'439'808);
  CHECK(network.tokens == 4 * 512);
  CHECK(network.number_bytes == 2);
  CHECK(network.model_flops() == Approx(2 * 3 * (252.993602e9 + 9.663676e9)).epsilon(1e-7));
  // Attention that is not fused computes all scores, of which half belong to the model.
  CHECK(counted_case(counted_text("network: gpt2, sequence: 512, attention: plain"))
            .counted->model_flops() == Approx(network.model_flops()));
  // Messages have as many floats as two bytes a parameter need.
  CHECK(ready.training->network->parameters() == 124'439'808 / 2);
  CHECK_FALSE(ready.scenario_case.scenario.numerics);
  CHECK(counted_case("foretrain: 1\ntraining: {steps: 1}\n").counted == nullptr);
}

TEST_CASE("counted network: its layers' times are those of the first host's device") {
  const Prepared ready = counted_case(counted_text("network: gpt2, precision: fp32", "steps: 3",
                                                   "{like: dgx-1, count: 1}, {like: dgx-a100}"));
  const Scenario& scenario = ready.scenario_case.scenario;
  const DeviceRates rates = rates_of(scenario.cluster.hosts[0], "fp32");
  const NetworkProfile profile = timed_profile(*ready.counted, scenario);
  CHECK(profile.batch_size == 4);
  REQUIRE(profile.layers.size() == 14);
  double all_s = 0;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const LayerWork& work = ready.counted->layers[i];
    const PassTimes times = pass_times(work, rates, Recompute::none);
    CHECK(profile.layers[i] ==
          LayerTimes{work.layer, work.parameters, times.forward_s, times.backward_s, work.tensors});
    all_s += times.forward_s + times.backward_s;
  }
  CHECK(ready.counted->gradient_s(rates) == Approx(all_s));
}

TEST_CASE("counted network: rates of a device by its precision") {
  HostSpec host;
  host.devices = 1;
  host.device.gflops = 20'000;
  host.device.memory_bandwidth = {1e12};
  host.device.overhead = Duration{5'000};
  host.device.precisions = {{"bf16", 300'000, 0.6, 50, 0.3}, {"fp16", 200'000}};
  const auto check = [&](const std::string& precision, const DeviceRates& rates) {
    CAPTURE(precision);
    const DeviceRates found = rates_of(host, precision);
    CHECK(found.products == Approx(rates.products));
    CHECK(found.half_size == rates.half_size);
    CHECK(found.attention == Approx(rates.attention));
    CHECK(found.memory == Approx(0.8e12));
    CHECK(found.launch_s == Approx(5e-6));
  };
  check("bf16", {0.6 * 3e14, 50, 0.3 * 3e14});
  check("fp16", {0.7 * 2e14, 30, 0.3 * 2e14});  // defaults
  check("fp32", {0.7 * 2e13, 30, 0.3 * 2e13});  // of gflops
  CHECK(peak_of(host, "tf32") == 0);
  CHECK(peak_of(host, "bf16") == 3e14);
  CHECK(peak_of(host, "fp8") == 0);
  host.devices = 0;
  host.roofline.gflops = 50;
  CHECK(peak_of(host, "fp32") == 5e10);
  CHECK(peak_of(host, "bf16") == 0);
}

TEST_CASE("counted network: recomputation leaves activations out, and takes time") {
  const auto counted = [](const std::string& recompute) {
    return counted_case(counted_text("network: gpt2", "steps: 3, recompute: " + recompute)).counted;
  };
  const auto none = counted("none");
  const auto full = counted("full");
  double kept = 0;
  for (const LayerWork& each : none->layers) kept += each.kept;
  CHECK(static_cast<double>(none->activations().value) == Approx(kept));
  // Inputs of 12 blocks, and all of the one that is recomputed, instead of all of 12.
  const LayerWork& block = none->layers[1];
  CHECK(static_cast<double>(full->activations().value) ==
        Approx(kept - 12 * block.kept + 12 * block.kept_input + (block.kept - block.kept_input)));
  CHECK(counted("selective")->activations() < none->activations());
  CHECK(counted("selective")->activations() > full->activations());
  const DeviceRates rates{1e14, 50, 1e14, 1e12, 0};
  CHECK(full->gradient_s(rates) > counted("selective")->gradient_s(rates));
  CHECK(counted("selective")->gradient_s(rates) > none->gradient_s(rates));
  CHECK(full->model_flops() == none->model_flops());
}

TEST_CASE("counted network: tokens give the length") {
  // 8 workers x 4 sequences x 512 tokens = 16,384 tokens a step.
  const auto steps = [](const std::string& training) {
    return counted_case(counted_text("network: gpt2, sequence: 512", training)).training->steps;
  };
  CHECK(steps("tokens: 1") == 1);
  CHECK(steps("tokens: 81920") == 5);
  CHECK(steps("tokens: 98k") == 5);
  CHECK(steps("tokens: 100B") == kStepsOfTokens);  // stand for all
  CHECK(steps("tokens: 163840, accumulate: 2") == 5);
  CHECK(counted_error(counted_text("network: gpt2", "tokens: 1e6, steps: 3"))
            .find("training.tokens") != std::string::npos);
  CHECK_THAT(counted_error(counted_text("network: resnet50", "tokens: 1e6")),
             StartsWith("x.yaml:4:") && Contains("training.tokens: the network reads images"));
  CHECK_THAT(
      counted_error("foretrain: 1\ntraining: {tokens: 1e6}\n"),
      StartsWith("x.yaml:2:") && Contains("training.tokens: only a network that reads text"));
}

TEST_CASE("counted network: an error has the place of the scenario's key") {
  CHECK_THAT(counted_error(counted_text("network: llama-2-7b, sequence: 8192")),
             StartsWith("x.yaml:3:40: model.sequence: 8192 tokens, but the network has 4096"));
  CHECK_THAT(counted_error(counted_text("network: gpt2, sequence: 4096")),
             StartsWith("x.yaml:3:34: model.sequence: 4096 tokens, but the network has 1024 "));
  CHECK_THAT(counted_error(counted_text("network: resnet50, sequence: 128")),
             StartsWith("x.yaml:3:38: model.sequence: 128 tokens, but the network reads images"));
  CHECK_THAT(counted_error(counted_text("network: gpt3")),
             StartsWith("x.yaml:3:18: model.network: the library has no network gpt3; "));
  CHECK_THAT(counted_error(counted_text("config: nowhere.json")),
             StartsWith("x.yaml:3:17: model.config: nowhere.json: no such file"));
  CHECK_THAT(counted_error("foretrain: 1\nmodel: {network: gpt2}\ntraining: {steps: 1}\n"),
             StartsWith("x.yaml:2:18: model.network: it is forecast, not trained, so the scenario "
                        "has to describe hosts"));
  CHECK_THAT(counted_error(counted_text("network: gpt2, layers: [dense]")),
             Contains("model.network"));
  CHECK_THAT(counted_error(counted_text("network: gpt2, config: a.json")),
             Contains("model.config"));
  CHECK_THAT(counted_error(counted_text("network: gpt2, precision: int8")),
             Contains("model.precision"));
}

TEST_CASE("counted network: a precision of which a device has no figures") {
  CHECK_THAT(
      counted_error(counted_text("network: gpt2, precision: bf16", "steps: 3", "{like: dgx-1}")),
      StartsWith("x.yaml:3:") && Contains("model.precision: bf16, of which the device of dgx-1") &&
          Contains("has no figures; it has fp32, fp16"));
  CHECK_THAT(counted_error(counted_text("network: gpt2", "steps: 3", "{name: own, devices: 8}")),
             Contains("of which the device of own has no figures; write "
                      "cluster.hosts[].device.precisions"));
  CHECK_THAT(counted_error(counted_text("network: gpt2", "steps: 3", "{name: own, cores: 8}")),
             Contains("model.precision: bf16, but the host own has no devices"));
  // With the time of a gradient nothing else is needed.
  CHECK(counted_case(
            counted_text("network: gpt2", "steps: 3", "{name: own, cores: 8, compute: 50 ms}"))
            .counted != nullptr);
}

TEST_CASE("counted network: keys of networks by shape belong to them") {
  const auto with = [](const std::string& training) {
    return counted_error(
        "foretrain: 1\nnumerics: off\ntraining: {strategy: all_reduce, workers: 2, " + training +
        "}\n");
  };
  CHECK_THAT(with("shard: none"), Contains("training.shard: none is for networks that devices"));
  CHECK_THAT(with("recompute: full"), Contains("training.recompute: only a network known by its"));
  CHECK_THAT(with("master_weights: off"), Contains("training.master_weights: only a network"));
  CHECK_THAT(counted_error("foretrain: 1\nmodel: {name: lenet, sequence: 5}\n"),
             Contains("model.sequence"));
  const Scenario scenario =
      only(counted_text("network: gpt2, sequence: 128, precision: fp16, attention: plain",
                        "shard: none, recompute: selective, master_weights: off, tokens: 1e7"));
  CHECK(only(to_yaml(scenario)) == scenario);
  CHECK(scenario.model.attention == "plain");
  CHECK(scenario.training.recompute == "selective");
  CHECK_FALSE(scenario.training.master_weights);
}

const std::string kWorkTitles =
    "layer,parameters,tensors,product_gflop,edge_mflop,attention_gflop,moved_mb,kept_mb\n";

TEST_CASE("counted network: a table of work is scaled to the batch") {
  const TempFolder folder;
  std::ofstream(folder / "t.csv") << kWorkTitles << "a,1000,2,3,4,5,6,7\nrelu,0,0,0,0,0,1,0.5\n";
  const Prepared ready =
      counted_case(counted_text("profile: " + (folder / "t.csv") + ", profile_batch: 2"));
  REQUIRE(ready.counted != nullptr);
  REQUIRE(ready.counted->layers.size() == 2);
  LayerWork a{.layer = "a", .parameters = 1'000, .tensors = 2};
  a.products = 2 * 3e9;
  a.edges = 2 * 4e6;
  a.attention = 2 * 5e9;
  a.moved = 2 * 6e6;
  a.kept = 2 * 7e6;
  a.kernels = 1;
  CHECK(ready.counted->layers[0] == a);
  CHECK(ready.counted->activations().value == 15'000'000);
  CHECK(ready.counted->tokens == 0);
  CHECK_THAT(counted_error("foretrain: 1\nmodel: {profile: " + (folder / "t.csv") +
                           "}\ntraining: {steps: 1}\n"),
             StartsWith("x.yaml:2:") && Contains("model.profile: it is forecast"));
}

TEST_CASE("counted network: a measured row of its name goes first") {
  const auto measured = [](const std::string& model, const std::string& host = "dgx-1") {
    return counted_case(counted_text(model, "steps: 3", "{like: " + host + "}"))
        .scenario_case.scenario.model.profile_network;
  };
  CHECK(measured("network: resnet50, precision: fp32") == "resnet50");
  CHECK(measured("network: resnet50, precision: fp16") == "resnet50_amp");
  CHECK(measured("network: resnet50, precision: fp16", "dgx-h100").empty());
  const std::string own =
      "{name: own, devices: 8, device: {like: a100-40gb}, measured: [{network: resnet50_amp, "
      "batch_size: 4, examples_per_s: 900}, {network: bert_base, batch_size: 4, examples_per_s: "
      "9}]}";
  const Prepared ready =
      counted_case(counted_text("network: resnet50, precision: bf16", "steps: 3", own));
  const Scenario& scenario = ready.scenario_case.scenario;
  CHECK(scenario.model.profile_network == "resnet50_amp");
  CHECK(scenario.cluster.hosts[0].measured.size() == 1);
  CHECK(measured("network: bert-base-uncased, precision: fp32").empty());
  CHECK(measured("network: resnet50, precision: fp32, profile_network: bert_base") == "bert_base");
}

}  // namespace
}  // namespace foretrain
