// Batch normalisation against a plain twin, its gradient against finite differences.
#include "models/layers/batch_norm.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase normed(Shape shape, double epsilon) {
  return {.spec = {.kind = "batch_norm", .epsilon = epsilon}, .input = shape};
}

BatchNorm make_batch_norm(const LayerCase& of) {
  return {of.input, of.spec.epsilon, of.spec.momentum};
}

}  // namespace

TEST_CASE("batch norm: output and gradient agree with the double twin", "[layers]") {
  const LayerCase cases[] = {
      normed({12, 12, 16}, 1e-5), normed({5, 4, 3}, 1e-5), normed({1, 1, 40}, 1e-5),
      normed({3, 3, 20}, 0.1),    normed({2, 7, 1}, 1e-3), normed({1, 1, 1}, 1e-2),
  };
  for (const LayerCase& each : cases) {
    check_against_twin(make_batch_norm(each), each, 3, 51);
    check_against_twin(make_batch_norm(each), each, 8, 52);
  }
}

TEST_CASE("batch norm: the same bits with any number of threads at any offset", "[layers]") {
  for (const Shape shape : {Shape{9, 9, 33}, Shape{1, 1, 700}}) {
    const LayerCase of = normed(shape, 1e-5);
    check_same_bits(make_batch_norm(of), of, 100);
  }
}

TEST_CASE("batch norm: a training moves the running statistics by momentum", "[layers]") {
  const LayerCase of = normed({1, 1, 2}, 1e-5);
  const BatchNorm layer(of.input, 1e-5, 0.25);
  LayerNumbers numbers = draw_numbers(layer, of, 3, 1);
  CHECK(numbers.statistics == std::vector<float>{0, 0, 1, 1});
  numbers.input = {1, 10, 2, 10, 6, 10};
  Serial serial;
  const LayerResult trained = run_layer(layer, numbers, serial);
  // Means 3 and 10; variances: the sum of the squares 4, 1, 9 over 2, and 0.
  CHECK(trained.statistics == std::vector<float>{0.75F, 2.5F, 0.75F + 7.0F / 4, 0.75F});
  // In evaluation it uses the stored statistics and does not change them.
  numbers.statistics = {1, 10, 4, 0.25F};
  numbers.parameters = {2, 1, 0.5F, -1};
  numbers.dropout.reset();
  const LayerResult judged = run_layer(layer, numbers, serial);
  CHECK(judged.statistics == numbers.statistics);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(judged.output[2 * i] ==
          Approx(2 * (numbers.input[2 * i] - 1) / std::sqrt(4 + 1e-5) + 0.5));
    CHECK(judged.output[2 * i + 1] == Approx(-1));
  }
}

TEST_CASE("batch norm: of a single number the output is beta, and no gradient goes on",
          "[layers]") {
  const LayerCase of = normed({1, 1, 3}, 1e-5);
  const BatchNorm layer = make_batch_norm(of);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 5);
  numbers.parameters = {1, 2, 3, 4, 5, 6};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output == std::vector<float>{4, 5, 6});
  CHECK(result.input_gradient == std::vector<float>{0, 0, 0});
  CHECK(result.statistics[3] == 0.9F);
}

TEST_CASE("batch norm: says what it is with what it costs", "[layers]") {
  const BatchNorm layer({4, 4, 8}, 1e-5, 0.1);
  CHECK(layer.name() == "batch_norm 8");
  CHECK(layer.output() == Shape{4, 4, 8});
  CHECK(layer.parameters() == 16);
  CHECK(layer.weights_start() == 1.0F);
  CHECK(layer.forward_cost(2).flops.value == 7.0 * 2 * 128);
  CHECK(layer.forward_cost(2).bytes().value == 4 * 4 * 2 * 128 + 4 * 16);
  CHECK(layer.backward_cost(2, false).flops.value == 4.0 * 2 * 128);
  CHECK(layer.saved_bytes(2) == 64);
}
