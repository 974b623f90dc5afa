// Tests of whole networks against the double twin.
#include "tests/support/networks.h"
#include "tests/support/threads.h"
#include "tests/support/twin.h"

#include <catch2/catch.hpp>

#include <cmath>

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

  [[nodiscard]] LossAndGradient compute(Parallel& parallel) const {
    const auto workspace = network.make_workspace(Stream(kGradientSeed, "test.dropout"));
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

/// Of the gradient by the block along a direction of random signs, where the difference is the
/// twin's: an error of the gradient shows with about its own norm.
void check_block(const Trial& trial, const TwinNetwork& twin, const LossAndGradient& computed,
                 const ParameterBlock& block, std::uint64_t direction) {
  constexpr double kStep = 1e-8;  // so short that hardly a unit passes its kink
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

TEST_CASE("network: every name has a test case") {
  const auto cases = network_cases(true);
  for (const std::string& name : network_names()) CHECK(named(cases, name).name == name);
}

TEST_CASE("network: loss and gradient are the same bits with any number of threads") {
  for (NetworkCase each : network_cases(true)) {
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
