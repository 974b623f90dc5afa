// The ReLU against a plain twin, its gradient against finite differences.
#include "models/layers/relu.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace foretrain;
using namespace foretrain::testing;

TEST_CASE("relu: output and gradient agree with the double twin", "[layers]") {
  for (const Shape shape : {Shape{5, 4, 3}, Shape{1, 1, 100}, Shape{1, 1, 1}}) {
    const LayerCase of{.spec = {.kind = "relu"}, .input = shape};
    check_against_twin(Relu(shape), of, 1, 41);
    check_against_twin(Relu(shape), of, 5, 42);
  }
}

TEST_CASE("relu: the same bits with any number of threads at any offset", "[layers]") {
  const LayerCase of{.spec = {.kind = "relu"}, .input = {9, 9, 33}};
  check_same_bits(Relu(of.input), of, 40);
}

TEST_CASE("relu: zero has no gradient, NaN is passed on", "[layers]") {
  const LayerCase of{.spec = {.kind = "relu"}, .input = {1, 1, 4}};
  const Relu layer(of.input);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
  numbers.input = {0, -1, 2, std::numeric_limits<float>::quiet_NaN()};
  numbers.output_gradient = {5, 6, 7, 8};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output[1] == 0);
  CHECK(result.output[2] == 2);
  CHECK(std::isnan(result.output[3]));
  CHECK(result.input_gradient == std::vector<float>{0, 0, 7, 0});
}

TEST_CASE("relu: says what it is with what it costs", "[layers]") {
  const Relu layer({2, 3, 4});
  CHECK(layer.name() == "relu");
  CHECK(layer.forward_cost(5).flops.value == 5 * 24);
  CHECK(layer.forward_cost(5).bytes().value == 5 * 24 * 8);
  CHECK(layer.backward_cost(5, true).bytes().value == 5 * 24 * 12);
}
