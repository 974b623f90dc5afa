// The convolution against a plain twin, its gradient against finite differences.
#include "models/layers/conv2d.h"

#include "models/base/random.h"
#include "models/layers/conv_window.h"
#include "tests/support/layer_check.h"

#include <catch2/catch.hpp>

#include <array>
#include <utility>
#include <vector>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

LayerCase conv(Shape input, ConvShape shape, bool relu) {
  return {.spec = {.kind = "conv",
                   .units = shape.channels,
                   .size = shape.size,
                   .stride = shape.stride,
                   .padding = shape.padding,
                   .bias = shape.bias},
          .input = input,
          .relu = relu};
}

Conv2d make_conv(const LayerCase& of) {
  return {of.input,
          {of.spec.units, of.spec.size, of.spec.stride, of.spec.padding, of.spec.bias},
          of.relu};
}

}  // namespace

TEST_CASE("conv: output and gradients agree with the double twin at the shapes of networks") {
  // Small versions of the layers of LeNet and AlexNet, then unusual shapes, to cover every path.
  const std::pair<std::int64_t, LayerCase> cases[] = {
      {3, conv({14, 14, 1}, {6, 5, 1, 2}, true)},
      {2, conv({14, 14, 6}, {16, 5}, true)},
      {2, conv({9, 9, 32}, {64, 5, 1, 2}, true)},
      {1, conv({35, 35, 3}, {64, 11, 4, 2}, true)},
      {2, conv({7, 7, 150}, {24, 3, 1, 1}, true)},
      {9, conv({5, 5, 9}, {10, 3, 1, 1}, false)},
      {2, conv({12, 12, 1}, {8, 3, 1, 1}, true)},
      {2, conv({11, 8, 3}, {5, 3, 2, 1}, true)},
      {1, conv({3, 3, 2}, {7, 3}, false)},
      {2, conv({5, 6, 20}, {17, 1}, true)},
      {2, conv({9, 9, 4}, {3, 2, 3}, false)},
      {2, conv({4, 4, 3}, {4, 3, 1, 3}, false)},
      {4, conv({28, 28, 1}, {6, 5, 1, 2}, true)},
      // Adjacent pixels in vectors of any width: two, three, or more vectors.
      {2, conv({4, 34, 1}, {2, 3}, true)},
      {2, conv({7, 65, 3}, {2, 3, 2}, true)},
      {2, conv({6, 50, 2}, {3, 3, 1, 1}, false)},
      {3, conv({5, 40, 1}, {1, 5, 1, 2}, true)},
      {2, conv({5, 24, 16}, {8, 3, 1, 1}, true)},
      // Without biases.
      {2, conv({9, 9, 32}, {40, 3, 1, 1, false}, true)},
      {3, conv({12, 11, 3}, {5, 3, 2, 1, false}, false)},
      {2, conv({6, 50, 2}, {3, 3, 1, 1, false}, false)},
  };
  for (const auto& [batch, each] : cases) check_against_twin(make_conv(each), each, batch, 1);
}

TEST_CASE("conv: output and gradients agree with the double twin at drawn shapes") {
  const std::uint64_t seed = 23;
  CAPTURE(seed);
  Stream stream(seed, "test");
  const auto draw = [&](int first, int last) {
    return first + static_cast<int>(stream.below(static_cast<std::uint64_t>(last - first + 1)));
  };
  for (int trial = 0; trial < 40; ++trial) {
    const LayerCase each = conv({draw(5, 14), draw(5, 14), draw(1, 20)},
                                {draw(1, 40), draw(1, 5), draw(1, 3), draw(0, 3)}, trial % 2 == 0);
    check_against_twin(make_conv(each), each, draw(1, 4), seed);
  }
}

TEST_CASE("conv: the same bits with any number of threads at any offset") {
  for (const auto& [batch, each] :
       {std::pair<std::int64_t, LayerCase>{17, conv({14, 14, 6}, {16, 5}, true)},
        {9, conv({9, 9, 32}, {40, 3, 1, 1}, true)},
        {5, conv({28, 28, 3}, {16, 5, 2, 2}, false)},
        {2, conv({9, 9, 16}, {21, 3, 1, 1}, true)},
        {9, conv({8, 8, 16}, {32, 3, 2, 1, false}, false)},
        {17, conv({28, 28, 1}, {6, 5, 1, 2}, true)},
        {9, conv({28, 28, 3}, {16, 5, 2, 2}, true)}}) {
    check_same_bits(make_conv(each), each, batch);
  }
}

TEST_CASE("conv: pixels side by side in a vector have the bits of pixels one by one") {
  constexpr int kWide = 48;
  for (const auto& [size, stride, channels, lanes] :
       {std::array{5, 1, 1, 6}, {5, 1, 1, 3}, {3, 1, 2, 4}, {3, 2, 3, 2}, {5, 1, 1, 1}}) {
    const ConvShape shape{lanes, size, stride, 0};
    const Shape input{size + 2, kWide * stride + size - 1, channels};
    const Shape output{2 / stride + 1, kWide, lanes};
    const ConvWindow plain = conv_window(input, output, shape);
    const ConvWindow beside = beside_window(plain, lanes);
    CAPTURE(size, stride, channels, lanes, beside.beside);
    CHECK((beside.beside > 1) == (2 * lanes <= Simd::kCount));
    Stream stream(5, "test");
    const auto draw = [&](std::int64_t count) {
      std::vector<float> numbers(static_cast<std::size_t>(count));
      for (float& x : numbers) x = static_cast<float>(stream.normal());
      return numbers;
    };
    const std::vector<float> images = draw(2 * input.size());
    const std::vector<float> weights = draw(std::int64_t{plain.depth()} * lanes);
    const std::vector<float> biases = draw(lanes);
    const auto output_of = [&](const ConvWindow& window) {
      std::vector<float> panels(static_cast<std::size_t>(window.depth()) * kPanelLanes);
      std::vector<float> bias(kPanelLanes);
      pack_weights(weights.data(), window, lanes, panels.data());
      pack_biases(biases.data(), window, lanes, bias.data());
      std::vector<float> out(static_cast<std::size_t>(2 * output.size()));
      correlate(window, {images.data(), input.size(), 2}, panels.data(), lanes, bias.data(), true,
                out.data());
      return out;
    };
    CHECK((output_of(beside) == output_of(plain)));
  }
  // Windows of one pixel do not overlap.
  CHECK(beside_window({.channels = 4, .columns = kWide, .out_columns = kWide}, 1).beside == 1);
}

TEST_CASE("conv: counted parameters and operations") {
  const Conv2d first({28, 28, 1}, {6, 5, 1, 2}, true);
  CHECK(first.name() == "conv 6@5x5 pad 2 + relu");
  CHECK(first.output() == Shape{28, 28, 6});
  CHECK(first.parameters() == 156);
  CHECK(first.forward_cost(8).flops.value == 2.0 * 8 * 28 * 28 * 6 * 25);
  CHECK(first.forward_cost(8).read.parameters.value == 4 * 156);
  const Conv2d bare({28, 28, 1}, {6, 5, 1, 2, false}, true);
  CHECK(bare.name() == "conv 6@5x5 pad 2 no bias + relu");
  CHECK(bare.biases() == 0);
  CHECK(bare.parameters() == 150);
  CHECK(bare.forward_cost(8).flops.value == first.forward_cost(8).flops.value);
  CHECK(bare.forward_cost(8).read.parameters.value == 4 * 150);
  CHECK(bare.backward_cost(8, true).written.gradients.value == 4 * 150);
  const Conv2d alexnet({224, 224, 3}, {64, 11, 4, 2}, false);
  CHECK(alexnet.name() == "conv 64@11x11 stride 4 pad 2");
  CHECK(alexnet.output() == Shape{55, 55, 64});
  CHECK(alexnet.parameters() == 23'296);
  CHECK(alexnet.fans().in == 363);
  CHECK(alexnet.fans().out == 7'744);
  CHECK(alexnet.backward_cost(2, false).flops.value == 2.0 * 2 * 55 * 55 * 64 * 363);
  CHECK(alexnet.backward_cost(2, true).flops.value == 2 * 2.0 * 2 * 55 * 55 * 64 * 363);
}
