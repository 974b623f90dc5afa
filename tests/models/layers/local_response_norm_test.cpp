// The local response normalization against a plain twin, its gradient against finite differences.
#include "models/layers/local_response_norm.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase norm(Shape shape, int size, double alpha, double beta, double k) {
  return {.spec = {.kind = "lrn", .size = size, .alpha = alpha, .beta = beta, .k = k},
          .input = shape};
}

LocalResponseNorm make_norm(const LayerCase& of) {
  return {of.input, of.spec.size, of.spec.alpha, of.spec.beta, of.spec.k};
}

}  // namespace

TEST_CASE("lrn: output and gradient agree with the double twin", "[layers]") {
  const LayerCase cases[] = {
      norm({12, 12, 64}, 9, 0.001, 0.75, 1),  // alexnet_cifar
      norm({3, 5, 64}, 9, 0.5, 0.75, 1),     norm({3, 3, 20}, 5, 1, 0.75, 2),
      norm({4, 3, 7}, 9, 1, 0.75, 1),        norm({2, 3, 1}, 3, 2, 0.75, 1),
      norm({3, 2, 13}, 4, 1, 0.75, 1),       norm({2, 2, 9}, 2, 1, 0.5, 0.5),
      norm({3, 3, 8}, 1, 1, 0.6, 1),         norm({2, 5, 10}, 3, 1, 1, 1),
      norm({1, 1, 30}, 16, 1, 1.25, 0.1),
  };
  for (const LayerCase& each : cases) {
    check_against_twin(make_norm(each), each, 1, 31);
    check_against_twin(make_norm(each), each, 3, 32);
  }
}

TEST_CASE("lrn: the same bits with any number of threads at any offset", "[layers]") {
  check_same_bits(make_norm(norm({6, 6, 64}, 9, 1, 0.75, 1)), norm({6, 6, 64}, 9, 1, 0.75, 1), 30);
  check_same_bits(make_norm(norm({6, 6, 21}, 4, 1, 0.5, 1)), norm({6, 6, 21}, 4, 1, 0.5, 1), 30);
}

TEST_CASE("lrn: an even size sees one channel more before than behind", "[layers]") {
  const LayerCase of = norm({1, 1, 4}, 2, 2, 1, 1);
  const LocalResponseNorm layer = make_norm(of);
  LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
  numbers.input = {0, 1, 0, 1};
  Serial serial;
  // s = 1 + x[c - 1]^2 + x[c]^2
  CHECK(run_layer(layer, numbers, serial).output == std::vector<float>{0, 0.5F, 0, 0.5F});
}

TEST_CASE("lrn: NaN or infinity becomes NaN with any beta", "[layers]") {
  for (const double beta : {0.5, 0.75, 0.6}) {
    const LayerCase of = norm({1, 1, 1}, 1, 1, beta, 1);
    const LocalResponseNorm layer = make_norm(of);
    LayerNumbers numbers = draw_numbers(layer, of, 1, 1);
    Serial serial;
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      numbers.input = {bad};
      CHECK(std::isnan(run_layer(layer, numbers, serial).output[0]));
    }
  }
}

TEST_CASE("lrn: says what it is with what it costs", "[layers]") {
  const LocalResponseNorm layer({12, 12, 64}, 9, 0.001, 0.75, 1);
  CHECK(layer.name() == "lrn 9");
  CHECK(layer.output() == Shape{12, 12, 64});
  CHECK(layer.forward_cost(2).flops.value == 2.0 * 12 * 12 * 64 * 15);
  CHECK(layer.forward_cost(2).bytes().value == 2 * 12 * 12 * 64 * 12);
  CHECK(layer.saved_bytes(2) == 2 * 12 * 12 * 64 * 4);
}
