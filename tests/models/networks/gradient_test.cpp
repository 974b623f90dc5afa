// Whole networks, compared with the twin in double precision.
#include "models/networks/workspace.h"
#include "tests/support/networks.h"
#include "tests/support/threads.h"
#include "tests/support/twin.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

constexpr std::uint64_t kGradientSeed = 2024;

struct LossAndGradient {
  double loss = 0;
  std::vector<float> gradient;

  bool operator==(const LossAndGradient&) const = default;
};

struct Trial {
  explicit Trial(const NetworkCase& each) : of(each), network(each.spec, each.input) {
    parameters = lively_parameters(each, kGradientSeed);
    Stream stream(kGradientSeed, "test.batch");
    draw_batch(each.input, each.batch, stream, batch);
  }

  [[nodiscard]] LossAndGradient compute(Parallel& parallel,
                                        std::span<const std::size_t> part_begins = {}) const {
    const auto workspace =
        network.make_workspace(Stream(kGradientSeed, "test.dropout"), {}, part_begins);
    LossAndGradient computed;
    computed.gradient.assign(parameters.size(), std::nanf(""));
    computed.loss = network.gradient(parameters, batch, computed.gradient, *workspace, parallel);
    return computed;
  }

  NetworkCase of;
  Network network;
  std::vector<float> parameters;
  Batch batch;
};

/// A data set of one batch.
class OneBatch final : public Dataset {
 public:
  OneBatch(const Batch& batch, const InputShape& input) : batch_(batch), input_(input) {}

  [[nodiscard]] std::int64_t examples() const override { return batch_.examples; }
  [[nodiscard]] InputShape shape() const override { return input_; }
  void gather(std::span<const std::int64_t> which, Stream* /*augment*/,
              Batch& batch) const override {
    REQUIRE(std::ssize(which) == batch_.examples);
    batch.examples = batch_.examples;
    batch.labels = batch_.labels;
    const auto numbers = static_cast<std::size_t>(batch_.examples * input_.image.size());
    std::copy_n(batch_.inputs.data(), numbers, batch.inputs.reserve(numbers).data());
  }

 private:
  const Batch& batch_;
  const InputShape& input_;
};

/// Compares the gradient of a block along a direction of random signs with the twin's finite
/// difference. An error of the gradient appears with about its own norm.
void check_block(const Trial& trial, const TwinNetwork& twin, const LossAndGradient& computed,
                 const ParameterBlock& block, std::uint64_t direction) {
  constexpr double kStep = 1e-8;  // so short that few units cross their kink
  Nudge nudge{block.first, block.count, kStep, direction};
  double along = 0;
  double square = 0;
  for (std::int64_t i = 0; i < block.count; ++i) {
    const auto g =
        static_cast<double>(computed.gradient[static_cast<std::size_t>(block.first + i)]);
    along += nudge.sign(i) * g;
    square += g * g;
  }
  const double up = twin.loss(nudge);
  nudge.step = -kStep;
  const double difference = (up - twin.loss(nudge)) / (2 * kStep);
  const double norm = std::sqrt(square);
  CAPTURE(trial.of.name, block.layer, block.bias, direction, along, difference, norm);
  REQUIRE(norm > 0);
  REQUIRE(std::abs(along - difference) <= 1e-3 * norm);
}

void check_network(const NetworkCase& each) {
  CAPTURE(each.name, kGradientSeed);
  const Trial trial(each);
  Serial serial;
  const LossAndGradient computed = trial.compute(serial);
  const TwinNetwork twin(each.spec, each.input, trial.parameters, trial.batch,
                         Stream(kGradientSeed, "test.dropout"));
  REQUIRE(computed.loss == Approx(twin.loss()).epsilon(1e-5));
  for (const ParameterBlock& block : trial.network.blocks()) {
    if (is_normalised_away(trial.network, block)) {
      for (std::int64_t i = block.first; i < block.first + block.count; ++i) {
        CHECK(std::abs(computed.gradient[static_cast<std::size_t>(i)]) < 1e-6);
      }
      continue;
    }
    check_block(trial, twin, computed, block, 1);
    if (each.name != "alexnet") check_block(trial, twin, computed, block, 2);
  }
}

const NetworkCase& named(const std::vector<NetworkCase>& cases, const std::string& name) {
  for (const NetworkCase& each : cases) {
    if (each.name == name) return each;
  }
  throw std::logic_error("no test case for " + name);
}

}  // namespace

TEST_CASE("network: the gradient of a small network agrees with differences of the double twin") {
  const auto cases = network_cases(true);
  for (const char* name : {"softmax", "mlp", "lenet", "sparse_logistic"}) {
    check_network(named(cases, name));
  }
}

TEST_CASE("network: the gradient of lenet_large agrees with differences of the double twin") {
  check_network(named(network_cases(true), "lenet_large"));
}

TEST_CASE("network: the gradient of alexnet_cifar agrees with differences of the double twin") {
  check_network(named(network_cases(true), "alexnet_cifar"));
}

TEST_CASE("network: the gradient of alexnet with dropout agrees with differences of the twin") {
  check_network(named(network_cases(true), "alexnet"));
}

TEST_CASE("network: the gradient of vgg11 agrees with differences of the double twin") {
  check_network(named(network_cases(true), "vgg11"));
}

TEST_CASE("network: the gradient of resnet20 agrees with differences of the double twin") {
  check_network(named(network_cases(true), "resnet20"));
}

TEST_CASE("network: the gradient of a residual network agrees with differences of the twin") {
  check_network(residual_case());
}

TEST_CASE("network: the gradient through rectifiers, pools, sums agrees with the twin's") {
  check_network(pooled_case());
}

TEST_CASE("network: a rectifier before a pool is part of it unless its output is added") {
  const Network network(pooled_case().spec, pooled_case().input);
  std::vector<std::string> pools;
  std::vector<std::string> before;
  for (std::size_t i = 1; i < network.layers().size(); ++i) {
    const std::string name = network.layers()[i]->name();
    if (!name.starts_with("max_pool")) continue;
    pools.push_back(name);
    before.push_back(network.layers()[i - 1]->name());
  }
  CHECK(pools == std::vector<std::string>{"max_pool 3x3 stride 1 pad 1 + relu",
                                          "max_pool 2x2 stride 2 + relu",
                                          "max_pool 3x3 stride 1 pad 1"});
  CHECK(before == std::vector<std::string>{"conv 6@3x3 pad 1", "batch_norm 6", "relu"});
}

TEST_CASE("network: where a rectifier cannot be part of a pool it stays what it was") {
  const auto names_of = [](std::vector<LayerSpec> layers) {
    layers.push_back({.kind = "dense"});
    const Network network({layers}, {.image = {16, 16, 1}, .classes = 10});
    std::vector<std::string> names;
    for (const auto& layer : network.layers()) names.push_back(layer->name());
    names.pop_back();
    return names;
  };
  using Names = std::vector<std::string>;
  const LayerSpec relu{.kind = "relu"};
  const LayerSpec conv{.kind = "conv", .units = 2, .size = 1};
  const LayerSpec large{.kind = "max_pool", .size = 16};
  CHECK(names_of({conv, relu, large}) == Names{"conv 2@1x1 + relu", "max_pool 16x16 stride 16"});
  const LayerSpec pool{.kind = "max_pool", .size = 2};
  CHECK(names_of({relu, pool}) == Names{"relu", "max_pool 2x2 stride 2"});
  // An error of a pool is reported at its own layer.
  const LayerSpec wrong{.kind = "max_pool", .size = 40};
  CHECK_THROWS_WITH(names_of({conv, relu, wrong}), Catch::Contains("layer 2 (max_pool)"));
}

TEST_CASE("network: the gradient of an embedding agrees with differences of the twin") {
  check_network(embedding_case());
}

TEST_CASE("network: on the parameters that a batch touches the gradient has the same bits") {
  const bool summed = GENERATE(true, false);
  const std::vector<NetworkCase> cases = network_cases(true);
  const NetworkCase of = summed ? named(cases, "sparse_logistic") : embedding_case();
  CAPTURE(of.name);
  const Trial trial(of);
  Serial serial;
  const LossAndGradient whole = trial.compute(serial);
  std::vector<std::uint32_t> touched;
  trial.network.present(trial.batch, touched);
  REQUIRE(touched.size() < trial.parameters.size());
  std::vector<float> present;
  present.reserve(touched.size());
  for (const std::uint32_t parameter : touched) present.push_back(trial.parameters[parameter]);
  const auto workspace = trial.network.make_workspace(Stream(kGradientSeed, "test.dropout"));
  std::vector<float> gradient(present.size(), std::nanf(""));
  const double loss = trial.network.gradient(present, trial.batch, gradient, *workspace, serial);
  CHECK(loss == whole.loss);
  std::vector<float> spread(trial.parameters.size(), 0.0F);  // no other parameter has a gradient
  for (std::size_t i = 0; i < touched.size(); ++i) spread[touched[i]] = gradient[i];
  CHECK(spread == whole.gradient);
}

TEST_CASE("network: a gradient in parts is that of the whole, across residual connections too") {
  const Trial trial(residual_case());
  Serial serial;
  const LossAndGradient whole = trial.compute(serial);
  const std::size_t layers = trial.network.layers().size();
  REQUIRE(trial.network.skips().size() == 2);
  for (std::size_t cut = 1; cut < layers; ++cut) {
    CAPTURE(cut);
    const auto workspace =
        trial.network.make_workspace(Stream(kGradientSeed, "test.dropout"), {}, {&cut, 1});
    LossAndGradient parts;
    parts.gradient.assign(trial.parameters.size(), std::nanf(""));
    trial.network.forward_of(0, cut, trial.parameters, trial.batch, *workspace, serial);
    parts.loss =
        trial.network.forward_of(cut, layers, trial.parameters, trial.batch, *workspace, serial);
    for (const auto& [first, last] : {std::pair(cut, layers), {std::size_t{0}, cut}}) {
      trial.network.gradient_of(first, last, trial.parameters, trial.batch, parts.gradient,
                                *workspace, serial);
    }
    CHECK((parts == whole));
  }
}

TEST_CASE("network: in groups of examples it has the bits of the whole batch") {
  const auto cases = network_cases(true);
  for (NetworkCase of :
       {named(cases, "lenet_large"), named(cases, "alexnet_cifar"), pooled_case()}) {
    CAPTURE(of.name);
    if (of.name == "lenet_large") of.spec.layers[3].stride = 2;
    of.input.image = {40, 40, of.input.image.channels};
    of.batch = 133;
    const Trial trial(of);
    std::vector<std::size_t> everywhere(trial.network.layers().size());
    std::iota(everywhere.begin(), everywhere.end(), 0);
    const WorkspacePlan plan(trial.network.planned({}), of.batch);
    const std::int64_t group = std::ranges::min(plan.runs(), {}, &LayerRun::group).group;
    CHECK(group < of.batch);
    CHECK(of.batch % group != 0);
    const WorkspacePlan apart(trial.network.planned(everywhere), of.batch);
    CHECK(apart.runs().size() == everywhere.size());
    Serial serial;
    Threads threads(3);
    const LossAndGradient whole = trial.compute(serial, everywhere);
    CHECK((trial.compute(serial) == whole));
    CHECK((trial.compute(threads) == whole));
  }
}

TEST_CASE("network: an evaluation takes the statistics that it is given") {
  const Trial trial(residual_case());
  Serial serial;
  const auto trained = trial.network.make_workspace(Stream(1, "test.dropout"));
  std::vector<float> gradient(trial.parameters.size());
  for (int i = 0; i < 3; ++i) {
    trial.network.gradient(trial.parameters, trial.batch, gradient, *trained, serial);
  }
  CHECK(trained->statistics != trial.network.initial_statistics());
  const auto again = trial.network.make_workspace(Stream(2, "test.dropout"), trained->statistics);
  const OneBatch data(trial.batch, trial.of.input);
  const auto judge = [&](Network::Workspace& workspace) {
    return trial.network
        .evaluate(trial.parameters, data, 0, trial.batch.examples, workspace, serial)
        .loss;
  };
  const double loss = judge(*trained);
  CHECK(judge(*again) == loss);
  CHECK(judge(*trial.network.make_workspace(Stream(2, "test.dropout"))) != loss);
}

TEST_CASE("network: every name has a test case") {
  const auto cases = network_cases(true);
  for (const std::string& name : network_names()) CHECK(named(cases, name).name == name);
}

TEST_CASE("network: loss and gradient are the same bits with any number of threads") {
  std::vector<NetworkCase> cases = network_cases(true);
  cases.push_back(residual_case());
  for (NetworkCase& each : cases) {
    each.batch = each.name == "alexnet" ? 2 : 16;
    CAPTURE(each.name);
    const Trial trial(each);
    Serial serial;
    const LossAndGradient expected = trial.compute(serial);
    for (const int threads : {2, 3}) {
      Threads parallel(threads);
      CHECK((trial.compute(parallel) == expected));
    }
  }
}
