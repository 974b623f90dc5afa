// Flatten changes the shape, not the numbers.
#include "models/layers/flatten.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using namespace foretrain::testing;

TEST_CASE("flatten: numbers pass unchanged both ways", "[layers]") {
  const LayerCase of{.spec = {.kind = "flatten"}, .input = {3, 4, 5}};
  const Flatten layer(of.input);
  CHECK(layer.output() == Shape{1, 1, 60});
  CHECK(layer.name() == "flatten");
  CHECK(layer.forward_cost(7).bytes().value == 0);
  check_against_twin(layer, of, 2, 51);
  const LayerNumbers numbers = draw_numbers(layer, of, 2, 52);
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  CHECK(result.output == numbers.input);
  CHECK(result.input_gradient == numbers.output_gradient);
}
