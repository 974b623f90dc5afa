// Dropout: its choices, its draws, its gradient.
#include "models/layers/dropout.h"

#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase dropout(Shape shape, double rate) {
  return {.spec = {.kind = "dropout", .rate = rate}, .input = shape};
}

}  // namespace

TEST_CASE("dropout: output and gradient agree with the double twin", "[layers]") {
  for (const double rate : {0.0, 0.2, 0.5, 0.9}) {
    const LayerCase of = dropout({3, 3, 7}, rate);
    check_against_twin(Dropout(of.input, rate), of, 1, 61);
    check_against_twin(Dropout(of.input, rate), of, 4, 62);
  }
}

TEST_CASE("dropout: the same bits with any number of threads at any offset", "[layers]") {
  const LayerCase of = dropout({1, 1, 4097}, 0.5);
  check_same_bits(Dropout(of.input, 0.5), of, 32);
}

TEST_CASE("dropout: units stay at the rate that was asked for, scaled to the same mean",
          "[layers]") {
  const std::uint64_t seed = 63;
  CAPTURE(seed);
  const LayerCase of = dropout({1, 1, 100000}, 0.3);
  const Dropout layer(of.input, 0.3);
  LayerNumbers numbers = draw_numbers(layer, of, 1, seed);
  std::ranges::fill(numbers.input, 1.0F);
  std::ranges::fill(numbers.output_gradient, 1.0F);
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  const auto dropped = std::ranges::count(result.output, 0.0F);
  CHECK(std::abs(static_cast<double>(dropped) - 30000) < 5 * std::sqrt(100000 * 0.3 * 0.7));
  CHECK(dropped + std::ranges::count(result.output, static_cast<float>(1 / 0.7)) == 100000);
  CHECK(result.input_gradient == result.output);
}

TEST_CASE("dropout: the next step drops other units", "[layers]") {
  const LayerCase of = dropout({1, 1, 64}, 0.5);
  const Dropout layer(of.input, 0.5);
  std::vector<float> input(64, 1.0F);
  std::vector<float> first(64);
  std::vector<float> second(64);
  std::vector<std::byte> saved(static_cast<std::size_t>(layer.saved_bytes(1)));
  Serial serial;
  Stream stream(1, "dropout");
  ForwardPass pass;
  pass.batch = 1;
  pass.input = input.data();
  pass.saved = saved.data();
  pass.parallel = &serial;
  pass.dropout = &stream;
  pass.output = first.data();
  layer.forward(pass);
  pass.output = second.data();
  layer.forward(pass);
  CHECK(first != second);
}

TEST_CASE("dropout: says what it is with what it costs", "[layers]") {
  const Dropout layer({1, 1, 9}, 0.5);
  CHECK(layer.name() == "dropout 0.5");
  CHECK(layer.saved_bytes(3) == 27);
  CHECK(layer.forward_cost(3).bytes().value == 27 * 9);
}
