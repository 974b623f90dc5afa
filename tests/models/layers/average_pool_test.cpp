// The average pool against a plain twin, its gradient against finite differences.
#include "models/layers/average_pool.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase pool(Shape input, int side) {
  return {.spec = {.kind = "average_pool", .size = side}, .input = input};
}

AdaptiveAveragePool make_average_pool(const LayerCase& of) { return {of.input, of.spec.size}; }

}  // namespace

TEST_CASE("average_pool: output and gradient agree with the double twin", "[layers]") {
  const LayerCase cases[] = {
      pool({6, 6, 16}, 6),                       // alexnet at 224 px: a copy
      pool({7, 7, 5}, 6),                        // alexnet at 256 px: windows overlap
      pool({12, 12, 3}, 6), pool({1, 1, 8}, 6),  // alexnet at 63 px: pixels are repeated
      pool({5, 9, 2}, 3),   pool({4, 3, 1}, 1),
  };
  for (const LayerCase& each : cases) {
    check_against_twin(make_average_pool(each), each, 1, 21);
    check_against_twin(make_average_pool(each), each, 3, 22);
  }
}

TEST_CASE("average_pool: the same bits with any number of threads at any offset", "[layers]") {
  check_same_bits(make_average_pool(pool({13, 13, 20}, 6)), pool({13, 13, 20}, 6), 40);
}

TEST_CASE("average_pool: says what it is with what it costs", "[layers]") {
  const AdaptiveAveragePool layer({12, 12, 4}, 6);
  CHECK(layer.name() == "average_pool 6x6");
  CHECK(layer.output() == Shape{6, 6, 4});
  CHECK(layer.forward_cost(3).flops.value == 3.0 * 12 * 12 * 4);
  CHECK(layer.forward_cost(3).bytes().value == 4 * 3 * 4 * (144 + 36));
  CHECK(layer.backward_cost(3, true).flops.value == 3.0 * 12 * 12 * 4);
}
