// The dense layer against a plain twin, its gradient against finite differences.
#include "models/layers/dense.h"

#include "models/base/random.h"
#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase dense(int inputs, int outputs, bool relu) {
  return {.spec = {.kind = "dense", .units = outputs}, .input = {1, 1, inputs}, .relu = relu};
}

Dense make_dense(const LayerCase& of) {
  return {static_cast<int>(of.input.size()), of.spec.units, of.relu};
}

}  // namespace

TEST_CASE("dense: output and gradients agree with the double twin at the sizes of networks") {
  struct Size {
    int batch, inputs, outputs;
  };
  for (const Size& size :
       {Size{8, 400, 120}, Size{3, 120, 84}, Size{8, 84, 10}, Size{1, 784, 10}, Size{16, 300, 600},
        Size{2, 1, 1}, Size{65, 7, 1}, Size{33, 203, 16}, Size{33, 203, 17}}) {
    for (const bool relu : {false, true}) {
      const LayerCase each = dense(size.inputs, size.outputs, relu);
      check_against_twin(make_dense(each), each, size.batch, 1);
    }
  }
}

TEST_CASE("dense: output and gradients agree with the double twin at drawn sizes") {
  const std::uint64_t seed = 17;
  CAPTURE(seed);
  Stream stream(seed, "test");
  for (int trial = 0; trial < 30; ++trial) {
    const LayerCase each = dense(1 + static_cast<int>(stream.below(300)),
                                 1 + static_cast<int>(stream.below(60)), trial % 2 == 0);
    check_against_twin(make_dense(each), each, 1 + static_cast<std::int64_t>(stream.below(20)),
                       seed);
  }
}

TEST_CASE("dense: the same bits with any number of threads at any offset") {
  // The large layer is split into parts; ten outputs take the path of narrow layers.
  check_same_bits(make_dense(dense(700, 600, true)), dense(700, 600, true), 9);
  check_same_bits(make_dense(dense(784, 10, false)), dense(784, 10, false), 256);
  check_same_bits(make_dense(dense(90, 64, true)), dense(90, 64, true), 5);
}

TEST_CASE("dense: counted parameters and operations") {
  const Dense layer(784, 10, false);
  CHECK(layer.name() == "dense 784 -> 10");
  CHECK(Dense(400, 120, true).name() == "dense 400 -> 120 + relu");
  CHECK(layer.parameters() == 7'850);
  CHECK(layer.forward_cost(64).flops.value == 2.0 * 64 * 784 * 10);
  CHECK(layer.backward_cost(64, false).flops.value == 2.0 * 64 * 784 * 10);
  CHECK(layer.backward_cost(64, true).flops.value == 2.0 * 2 * 64 * 784 * 10);
  CHECK(layer.forward_cost(64).bytes().value == 4 * (64 * 794 + 7'850));
}
