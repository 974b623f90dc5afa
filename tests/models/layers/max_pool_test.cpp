// The max pool against a plain twin, its gradient against finite differences.
#include "models/layers/max_pool.h"

#include "models/layers/relu.h"
#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase pool(Shape input, int size, int stride, int padding) {
  return {.spec = {.kind = "max_pool", .size = size, .stride = stride, .padding = padding},
          .input = input};
}

MaxPool make_max_pool(const LayerCase& of) {
  return {of.input, of.spec.size, of.spec.stride, of.spec.padding, of.relu};
}

}  // namespace

TEST_CASE("max_pool: output and gradient agree with the double twin", "[layers]") {
  const LayerCase cases[] = {
      pool({28, 28, 6}, 2, 2, 0),  // lenet
      pool({10, 10, 16}, 2, 2, 0),
      pool({24, 24, 64}, 3, 2, 1),  // alexnet_cifar
      pool({13, 13, 24}, 3, 2, 0),  // alexnet
      pool({7, 9, 3}, 3, 2, 1),
      pool({5, 6, 1}, 2, 1, 1),
      pool({6, 5, 11}, 4, 3, 2),
      pool({7, 7, 5}, 2, 2, 0),
      pool({9, 8, 9}, 3, 3, 0),
      pool({8, 8, 8}, 2, 3, 0),
      pool({2, 2, 1}, 2, 2, 0),
      pool({1, 1, 13}, 1, 1, 0),
      pool({4, 4, 7}, 1, 2, 0),
      // So few channels that eight numbers are several pixels.
      pool({3, 3, 1}, 2, 1, 0),
      pool({4, 4, 1}, 2, 2, 0),
      pool({6, 5, 2}, 3, 1, 1),
      pool({9, 9, 3}, 3, 3, 0),
      pool({4, 9, 1}, 2, 2, 0),
      pool({9, 3, 2}, 2, 1, 1),
  };
  for (LayerCase each : cases) {
    for (const bool relu : {false, true}) {
      each.relu = relu;
      check_against_twin(make_max_pool(each), each, 1, 11);
      check_against_twin(make_max_pool(each), each, 3, 12);
    }
  }
}

TEST_CASE("max_pool: with a rectifier the bits are those of one before it", "[layers]") {
  for (LayerCase of : {pool({28, 28, 6}, 2, 2, 0), pool({13, 11, 5}, 3, 2, 1)}) {
    of.relu = true;
    const MaxPool fused = make_max_pool(of);
    of.relu = false;
    const MaxPool plain = make_max_pool(of);
    const Relu relu(of.input);
    Serial serial;
    const LayerNumbers numbers = draw_numbers(fused, of, 4, 5);
    const LayerResult expected = run_layer(fused, numbers, serial);
    CHECK(std::ranges::count(expected.output, 0.0F) > 10);
    LayerNumbers rectified = numbers;
    LayerNumbers before = numbers;
    before.output_gradient.assign(numbers.input.size(), 1);  // same length as its output
    rectified.input = run_layer(relu, before, serial).output;
    const LayerResult after = run_layer(plain, rectified, serial);
    CHECK(after.output == expected.output);
    before.output_gradient = after.input_gradient;
    CHECK(run_layer(relu, before, serial).input_gradient == expected.input_gradient);
  }
}

TEST_CASE("max_pool: the same bits with any number of threads at any offset", "[layers]") {
  check_same_bits(make_max_pool(pool({28, 28, 6}, 2, 2, 0)), pool({28, 28, 6}, 2, 2, 0), 30);
  check_same_bits(make_max_pool(pool({12, 12, 20}, 3, 2, 1)), pool({12, 12, 20}, 3, 2, 1), 30);
}

TEST_CASE("max_pool: the gradient goes to the first of equal maxima", "[layers]") {
  const LayerCase of = pool({3, 3, 1}, 3, 1, 0);
  const MaxPool layer = make_max_pool(of);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
  numbers.input = {0, 1, 2, 2, 0, 2, 1, 2, 0};
  numbers.output_gradient = {5};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output == std::vector<float>{2});
  CHECK(result.input_gradient == std::vector<float>{0, 0, 5, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("max_pool: the gradients of overlapping windows add up", "[layers]") {
  const LayerCase of = pool({3, 3, 1}, 2, 1, 0);
  const MaxPool layer = make_max_pool(of);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
  numbers.input = {0, 1, 0, 2, 9, 3, 0, 4, 0};
  numbers.output_gradient = {1, 2, 4, 8};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.input_gradient == std::vector<float>{0, 0, 0, 0, 15, 0, 0, 0, 0});
}

TEST_CASE("max_pool: a NaN is passed on", "[layers]") {
  const LayerCase of = pool({2, 2, 1}, 2, 2, 0);
  const MaxPool layer = make_max_pool(of);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
  Serial serial;
  for (std::size_t at = 0; at < 4; ++at) {
    numbers.input = {1, 2, 3, 4};
    numbers.input[at] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(run_layer(layer, numbers, serial).output[0]));
    // No gradient passes through a ReLU of NaN.
    const LayerResult rectified = run_layer(MaxPool({2, 2, 1}, 2, 2, 0, true), numbers, serial);
    CHECK(std::isnan(rectified.output[0]));
    CHECK(rectified.input_gradient == std::vector<float>(4, 0));
  }
}

TEST_CASE("max_pool: says what it is with what it costs", "[layers]") {
  const MaxPool layer({24, 24, 64}, 3, 2, 1, false);
  CHECK(layer.name() == "max_pool 3x3 stride 2 pad 1");
  CHECK(MaxPool({4, 4, 1}, 2, 2, 0, true).name() == "max_pool 2x2 stride 2 + relu");
  CHECK(layer.output() == Shape{12, 12, 64});
  CHECK(layer.parameters() == 0);
  CHECK(layer.forward_cost(2).flops.value == 2.0 * 12 * 12 * 64 * 9);
  CHECK(layer.forward_cost(2).bytes().value == 2 * 64 * (24 * 24 * 4 + 12 * 12 * 5));
  CHECK(layer.backward_cost(2, true).bytes().value == layer.forward_cost(2).bytes().value);
  CHECK(layer.backward_cost(2, false).flops.value == 0);
}
