// The sparse dense layer, compared with its dense twin.
#include "models/layers/sparse_dense.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase sparse(std::int64_t features, int outputs) {
  return {
      .spec = {.kind = "sparse_dense", .units = outputs}, .input = {}, .sparse_features = features};
}

}  // namespace

TEST_CASE("sparse_dense: output and gradient agree with the double twin", "[layers]") {
  for (const auto& [features, outputs] : {std::pair{300, 1}, std::pair{40, 3}, std::pair{1, 2}}) {
    const LayerCase of = sparse(features, outputs);
    const SparseDense layer(features, outputs, 2.5);
    check_against_twin(layer, of, 1, 71);
    check_against_twin(layer, of, 20, 72);
  }
}

TEST_CASE("sparse_dense: the same bits with any number of threads at any offset", "[layers]") {
  const SparseDense layer(500, 40, 10.0);
  check_same_bits(layer, sparse(500, 40), 300);
}

TEST_CASE("sparse_dense: on the rows present alone the numbers are the same bits", "[layers]") {
  const int outputs = 3;
  const LayerCase of = sparse(200, outputs);
  const SparseDense layer(200, outputs, 2.5);
  const LayerNumbers all = draw_numbers(layer, of, 30, 73);
  Serial serial;
  const LayerResult full = run_layer(layer, all, serial);

  // Parameters of the present rows, then the biases.
  std::vector<std::size_t> where;
  for (const std::uint32_t feature : all.sparse.features) {
    for (std::size_t o = 0; o < outputs; ++o) where.push_back(feature * std::size_t{outputs} + o);
  }
  for (std::size_t o = 0; o < outputs; ++o) where.push_back(std::size_t{200} * outputs + o);
  LayerNumbers present = all;
  present.parameters.clear();
  for (const std::size_t p : where) present.parameters.push_back(all.parameters[p]);
  const LayerResult compact = run_layer(layer, present, serial);

  CHECK(compact.output == full.output);
  REQUIRE(compact.gradient.size() == where.size());
  std::vector<float> spread(full.gradient.size(), 0.0F);
  for (std::size_t i = 0; i < where.size(); ++i) spread[where[i]] = compact.gradient[i];
  CHECK(spread == full.gradient);  // no other row has a gradient
}

TEST_CASE("sparse_dense: a feature twice in an example counts twice", "[layers]") {
  const SparseDense layer(2, 1, 2.0);
  LayerNumbers numbers = draw_numbers(layer, sparse(2, 1), 1, 1);
  numbers.sparse = {};
  numbers.sparse.starts = {0, 2};
  numbers.sparse.columns = {0, 0};
  numbers.sparse.values = {1, 2};
  numbers.sparse.features = {1};
  numbers.parameters = {100, 10, 0.5F};
  numbers.output_gradient = {1};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output == std::vector<float>{30.5F});
  CHECK(result.gradient == std::vector<float>{0, 3, 1});
}

TEST_CASE("sparse_dense: says what it is with what it costs", "[layers]") {
  const SparseDense layer(262144, 1, 39.0);
  CHECK(layer.name() == "sparse_dense 262144 -> 1");
  CHECK(layer.weights() == 262144);
  CHECK(layer.biases() == 1);
  CHECK(layer.output() == Shape{1, 1, 1});
  CHECK(layer.forward_cost(10).flops.value == 2 * 390);
  CHECK(layer.forward_cost(10).bytes().value == 4 * (2 * 390 + 390 + 1 + 10));
  // No more rows are touched than features exist.
  CHECK(SparseDense(5, 1, 39.0).forward_cost(10).bytes().value == 4 * (2 * 390 + 5 + 1 + 10));
}
