// The embedding layer, compared with its twin.
#include "models/layers/embedding.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase vectors(std::int64_t features, int fields, int units) {
  return {.spec = {.kind = "embedding", .units = units},
          .input = {},
          .sparse_features = features,
          .sparse_fields = fields};
}

}  // namespace

TEST_CASE("embedding: output and gradient agree with the double twin", "[layers]") {
  struct Size {
    std::int64_t features;
    int fields;
    int units;
  };
  for (const Size& size : {Size{300, 5, 3}, Size{40, 3, 1}, Size{1, 2, 4}, Size{7, 1, 8}}) {
    const LayerCase of = vectors(size.features, size.fields, size.units);
    const Embedding layer(size.features, size.fields, size.units);
    check_against_twin(layer, of, 1, 171);
    check_against_twin(layer, of, 20, 172);
  }
}

TEST_CASE("embedding: the same bits with any number of threads at any offset", "[layers]") {
  const Embedding layer(500, 10, 16);
  check_same_bits(layer, vectors(500, 10, 16), 300);
}

TEST_CASE("embedding: each field has its own place, and a row that two share learns of both",
          "[layers]") {
  const Embedding layer(3, 2, 2);
  LayerNumbers numbers = draw_numbers(layer, vectors(3, 2, 2), 2, 1);
  numbers.sparse = {};
  numbers.sparse.starts = {0, 2, 4};
  numbers.sparse.columns = {1, 0, 1, 1};  // features 2, 0; then 2 in both fields
  numbers.sparse.values = {1, 2, 1, 3};
  numbers.sparse.features = {0, 2};
  numbers.parameters = {10, 11, 20, 21, 30, 31};
  numbers.output_gradient = {1, 2, 3, 4, 5, 6, 7, 8};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output == std::vector<float>{30, 31, 20, 22, 30, 31, 90, 93});
  CHECK(result.gradient == std::vector<float>{6, 8, 0, 0, 1 + 5 + 21, 2 + 6 + 24});

  LayerNumbers present = numbers;
  present.parameters = {10, 11, 30, 31};
  const LayerResult compact = run_layer(layer, present, serial);
  CHECK(compact.output == result.output);
  CHECK(compact.gradient == std::vector<float>{6, 8, 27, 32});
}

TEST_CASE("embedding: says what it is with what it costs", "[layers]") {
  const Embedding layer(262144, 39, 8);
  CHECK(layer.name() == "embedding 262144 -> 39 x 8");
  CHECK(layer.weights() == 262144 * 8);
  CHECK(layer.biases() == 0);
  CHECK(layer.output() == Shape{1, 1, 312});
  CHECK(layer.forward_cost(10).flops.value == 390 * 8);
  CHECK(layer.backward_cost(10, false).flops.value == 2 * 390 * 8);
  // A value with its feature, a row, and the result.
  CHECK(layer.forward_cost(10).bytes().value == 4 * 390 * (2 + 8 + 8));
  CHECK(layer.backward_cost(10, false).written.gradients.value == 4 * 390 * 8);
  // No more rows are touched than features exist.
  CHECK(Embedding(5, 39, 8).forward_cost(10).bytes().value == 4 * (2 * 390 + 5 * 8 + 390 * 8));
}
