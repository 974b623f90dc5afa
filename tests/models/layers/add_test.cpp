// A residual connection: sums, shortcuts across sizes, gradients.
#include "models/layers/add.h"

#include "models/base/parallel.h"
#include "tests/support/threads.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

struct Added {
  std::vector<float> output;
  std::vector<float> by_input;
  std::vector<float> by_other;  // added to initial values of 100
};

/// Inputs are 0, 1, ..., added outputs 1000, 1001, ..., gradients 1, 2, ...
Added add_and_back(const Add& layer, Shape other, std::int64_t batch, Parallel& parallel) {
  const auto size = static_cast<std::size_t>(batch * layer.output().size());
  std::vector<float> input(size);
  std::vector<float> added(static_cast<std::size_t>(batch * other.size()));
  std::vector<float> gradient(size);
  std::iota(input.begin(), input.end(), 0.0F);
  std::iota(added.begin(), added.end(), 1000.0F);
  std::iota(gradient.begin(), gradient.end(), 1.0F);
  std::vector<float> saved(static_cast<std::size_t>(layer.saved_bytes(batch) / 4));
  Added sums{std::vector<float>(size), std::vector<float>(size),
             std::vector<float>(added.size(), 100.0F)};
  const auto fill = [&](LayerPass& pass) {
    pass.batch = batch;
    pass.input = input.data();
    pass.other = added.data();
    pass.saved = reinterpret_cast<std::byte*>(saved.data());
    pass.parallel = &parallel;
  };
  ForwardPass forward;
  fill(forward);
  forward.output = sums.output.data();
  layer.forward(forward);
  BackwardPass backward;
  fill(backward);
  backward.output_gradient = gradient.data();
  backward.input_gradient = sums.by_input.data();
  layer.backward(backward);
  layer.add_gradient(backward, sums.by_other.data());
  return sums;
}

}  // namespace

TEST_CASE("add: equal sizes are added number by number, the gradient goes both ways", "[layers]") {
  const Shape shape{1, 2, 2};
  Serial serial;
  const Added sums = add_and_back(Add(shape, shape, 0), shape, 1, serial);
  CHECK(sums.output == std::vector<float>{1000, 1002, 1004, 1006});
  CHECK(sums.by_input == std::vector<float>{1, 2, 3, 4});
  CHECK(sums.by_other == std::vector<float>{101, 102, 103, 104});
}

TEST_CASE("add: of a larger image every second pixel, missing channels are zeros", "[layers]") {
  const Shape shape{2, 2, 2};
  const Shape other{3, 4, 1};
  REQUIRE(Add::fits(shape, other));
  Serial serial;
  const Added sums = add_and_back(Add(shape, other, 0), other, 1, serial);
  // Pixels 0, 2, 8, 10 of the other output.
  CHECK(sums.output == std::vector<float>{1000, 1, 1004, 3, 1012, 5, 1016, 7});
  CHECK(sums.by_input == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(sums.by_other ==
        std::vector<float>{101, 100, 103, 100, 100, 100, 100, 100, 105, 100, 107, 100});
}

TEST_CASE("add: the same bits with any number of threads", "[layers]") {
  const Shape shape{15, 15, 24};
  for (const Shape other : {shape, Shape{29, 30, 20}}) {
    REQUIRE(Add::fits(shape, other));
    const Add layer(shape, other, 0);
    Serial serial;
    const Added expected = add_and_back(layer, other, 40, serial);
    for (const int threads : {2, 3}) {
      Threads parallel(threads);
      const Added sums = add_and_back(layer, other, 40, parallel);
      CHECK(sums.output == expected.output);
      CHECK(sums.by_input == expected.by_input);
      CHECK(sums.by_other == expected.by_other);
    }
  }
}

TEST_CASE("add: what cannot be added is known before", "[layers]") {
  CHECK(Add::fits({4, 4, 8}, {4, 4, 8}));
  CHECK(Add::fits({4, 4, 8}, {7, 8, 4}));
  CHECK(Add::fits({1, 1, 10}, {1, 1, 10}));
  CHECK(!Add::fits({4, 4, 8}, {4, 4, 9}));  // more channels
  CHECK(!Add::fits({4, 4, 8}, {4, 8, 8}));  // wider, not higher
  CHECK(!Add::fits({8, 8, 8}, {4, 4, 8}));  // smaller
  CHECK(!Add::fits({4, 4, 8}, {9, 9, 8}));  // no integer factor
  CHECK(!Add::fits({1, 1, 10}, {1, 1, 12}));
}

TEST_CASE("add: says what it is with what it costs", "[layers]") {
  const Add layer({2, 2, 4}, {4, 4, 3}, 5);
  CHECK(layer.name() == "add 5 stride 2");
  CHECK(Add({2, 2, 4}, {2, 2, 4}, 5).name() == "add 5");
  CHECK(layer.other() == 5);
  CHECK(layer.parameters() == 0);
  CHECK(layer.forward_cost(3).flops.value == 3.0 * 12);
  CHECK(layer.forward_cost(3).bytes().value == 4 * 3 * (16 + 12 + 16));
  CHECK(layer.backward_cost(3, true).bytes().value == 4 * 3 * (16 + 2 * 12 + 2 * 16 + 12));
  CHECK(layer.saved_bytes(3) == 4 * 3 * 16);
}
