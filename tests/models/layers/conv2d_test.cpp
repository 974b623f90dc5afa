// The convolution against a plain twin in double precision.
#include "models/layers/conv2d.h"

#include "tests/models/layers/twin.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace foretrain {
namespace {

using twin::Doubles;

struct Case {
  int batch;
  Shape input;
  ConvShape shape;
  bool relu;
};

std::string to_text(const Case& c) {
  return std::to_string(c.batch) + " x " + to_string(c.input) + ", " +
         Conv2d(c.input, c.shape, c.relu).name();
}

// Calls body(input index, weight index, output index) for each multiplication.
template <class Body>
void for_products(const Case& c, const Body& body) {
  const Shape out = Conv2d(c.input, c.shape, c.relu).output();
  const int size = c.shape.size;
  for (int e = 0; e < c.batch; ++e) {
    for (int oy = 0; oy < out.rows; ++oy) {
      for (int ox = 0; ox < out.columns; ++ox) {
        for (int k = 0; k < size * size; ++k) {
          const int y = oy * c.shape.stride + k / size - c.shape.padding;
          const int x = ox * c.shape.stride + k % size - c.shape.padding;
          if (y < 0 || y >= c.input.rows || x < 0 || x >= c.input.columns) continue;
          for (int i = 0; i < c.input.channels; ++i) {
            for (int o = 0; o < out.channels; ++o) {
              body(e * c.input.size() + (y * c.input.columns + x) * c.input.channels + i,
                   (std::int64_t{k} * c.input.channels + i) * out.channels + o,
                   e * out.size() + (oy * out.columns + ox) * out.channels + o);
            }
          }
        }
      }
    }
  }
}

Doubles exact_output(const Case& c, const Doubles& x, const Doubles& parameters) {
  const Conv2d layer(c.input, c.shape, c.relu);
  const auto channels = static_cast<std::size_t>(c.shape.channels);
  Doubles y(static_cast<std::size_t>(c.batch * layer.output().size()));
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = parameters[static_cast<std::size_t>(layer.weights()) + i % channels];
  }
  for_products(
      c, [&](auto input, auto weight, auto output) { y[output] += x[input] * parameters[weight]; });
  if (c.relu) {
    for (double& value : y) value = std::max(0.0, value);
  }
  return y;
}

void check_against_twin(const Case& c, Stream& stream) {
  INFO(to_text(c));
  const Conv2d layer(c.input, c.shape, c.relu);
  const twin::Inputs in(layer, c.input.size(), c.batch, stream);
  Serial serial;
  const twin::Results results = twin::run(layer, in, true, serial);
  const Doubles x(in.input.begin(), in.input.end());
  const Doubles w(in.parameters.begin(), in.parameters.end());
  const Doubles y = exact_output(c, x, w);
  Doubles dy(in.output_gradient.begin(), in.output_gradient.end());
  Doubles gradient(w.size()), input_gradient(x.size());
  const auto channels = static_cast<std::size_t>(c.shape.channels);
  for (std::size_t i = 0; i < dy.size(); ++i) {
    // At the twin's own sign: a sum that rounds to the other side of zero would tell them apart.
    if (c.relu && y[i] <= 0) dy[i] = 0;
    gradient[static_cast<std::size_t>(layer.weights()) + i % channels] += dy[i];
  }
  for_products(c, [&](auto input, auto weight, auto output) {
    gradient[weight] += dy[output] * x[input];
    input_gradient[input] += dy[output] * w[weight];
  });
  twin::check_close(results.output, y);
  twin::check_close(results.gradient, gradient);
  twin::check_close(results.input_gradient, input_gradient);
  CHECK(twin::run(layer, in, false, serial).gradient == results.gradient);
}

// Small relatives of the layers of LeNet and AlexNet, then odd ones: they take every path.
const Case kCases[] = {
    {3, {14, 14, 1}, {6, 5, 1, 2}, true},  {2, {14, 14, 6}, {16, 5}, true},
    {2, {9, 9, 32}, {64, 5, 1, 2}, true},  {1, {35, 35, 3}, {64, 11, 4, 2}, true},
    {2, {7, 7, 150}, {24, 3, 1, 1}, true}, {9, {5, 5, 9}, {10, 3, 1, 1}, false},
    {2, {12, 12, 1}, {8, 3, 1, 1}, true},  {2, {11, 8, 3}, {5, 3, 2, 1}, true},
    {1, {3, 3, 2}, {7, 3}, false},         {2, {5, 6, 20}, {17, 1}, true},
    {2, {9, 9, 4}, {3, 2, 3}, false},      {2, {4, 4, 3}, {4, 3, 1, 3}, false},
    {4, {28, 28, 1}, {6, 5, 1, 2}, true},
};

TEST_CASE("conv: both passes agree with the double twin at the shapes of networks") {
  Stream stream(1, "test");
  for (const Case& c : kCases) check_against_twin(c, stream);
}

TEST_CASE("conv: both passes agree with the double twin at drawn shapes") {
  const std::uint64_t seed = 23;
  CAPTURE(seed);
  Stream stream(seed, "test");
  const auto draw = [&](int first, int last) {
    return first + static_cast<int>(stream.below(static_cast<std::uint64_t>(last - first + 1)));
  };
  for (int trial = 0; trial < 60; ++trial) {
    Case c{draw(1, 4),
           {draw(5, 14), draw(5, 14), draw(1, 20)},
           {draw(1, 40), draw(1, 5), draw(1, 3), draw(0, 3)},
           trial % 2 == 0};
    check_against_twin(c, stream);
  }
}

TEST_CASE("conv: the gradient agrees with finite differences of the double twin") {
  Stream stream(2, "test");
  for (const Case& c : {kCases[1], kCases[5], kCases[7]}) {
    INFO(to_text(c));
    const Conv2d layer(c.input, c.shape, c.relu);
    const twin::Inputs in(layer, c.input.size(), c.batch, stream);
    Serial serial;
    const twin::Results results = twin::run(layer, in, true, serial);
    const Doubles x(in.input.begin(), in.input.end());
    const Doubles w(in.parameters.begin(), in.parameters.end());
    const auto loss = [&](const Doubles& input, const Doubles& parameters) {
      const Doubles y = exact_output(c, input, parameters);
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * in.output_gradient[i];
      return sum;
    };
    const double step = 1e-6;
    for (int trial = 0; trial < 12; ++trial) {
      const std::size_t i = trial == 0 ? w.size() - 1 : stream.below(w.size());
      const std::size_t k = stream.below(x.size());
      CAPTURE(i, k);
      Doubles above = w, below = w;
      above[i] += step;
      below[i] -= step;
      const double by_weight = (loss(x, above) - loss(x, below)) / (2 * step);
      CHECK(results.gradient[i] == Approx(by_weight).epsilon(1e-4).margin(1e-3));
      above = below = x;
      above[k] += step;
      below[k] -= step;
      const double by_input = (loss(above, w) - loss(below, w)) / (2 * step);
      CHECK(results.input_gradient[k] == Approx(by_input).epsilon(1e-4).margin(1e-3));
    }
  }
}

TEST_CASE("conv: one thread or three make the same bits") {
  Stream stream(3, "test");
  for (const Case& c :
       {Case{17, {14, 14, 6}, {16, 5}, true}, Case{9, {9, 9, 32}, {40, 3, 1, 1}, true},
        Case{5, {28, 28, 3}, {16, 5, 2, 2}, false}}) {
    INFO(to_text(c));
    const Conv2d layer(c.input, c.shape, c.relu);
    const twin::Inputs in(layer, c.input.size(), c.batch, stream);
    Serial serial;
    twin::ThreadPerShare two(2);
    twin::ThreadPerShare three(3);
    const twin::Results results = twin::run(layer, in, true, serial);
    CHECK(twin::run(layer, in, true, two) == results);
    CHECK(twin::run(layer, in, true, three) == results);
  }
}

TEST_CASE("conv: the same bits wherever the numbers lie in memory") {
  Stream stream(4, "test");
  for (const Case& c :
       {Case{2, {10, 10, 6}, {16, 5}, true}, Case{2, {9, 9, 16}, {21, 3, 1, 1}, true}}) {
    INFO(to_text(c));
    const Conv2d layer(c.input, c.shape, c.relu);
    const twin::Inputs in(layer, c.input.size(), c.batch, stream);
    Serial serial;
    const twin::Results results = twin::run(layer, in, true, serial);
    for (std::size_t offset = 1; offset < 64; ++offset) {
      CAPTURE(offset);
      CHECK(twin::run(layer, in, true, serial, offset) == results);
    }
  }
}

TEST_CASE("conv: counted parameters and operations") {
  const Conv2d first({28, 28, 1}, {6, 5, 1, 2}, true);
  CHECK(first.name() == "conv 6@5x5 pad 2 + relu");
  CHECK(first.output() == Shape{28, 28, 6});
  CHECK(first.parameters() == 156);
  CHECK(first.forward_cost(8).flops.value == 2.0 * 8 * 28 * 28 * 6 * 25);
  const Conv2d alexnet({224, 224, 3}, {64, 11, 4, 2}, false);
  CHECK(alexnet.name() == "conv 64@11x11 stride 4 pad 2");
  CHECK(alexnet.output() == Shape{55, 55, 64});
  CHECK(alexnet.parameters() == 23'296);
  CHECK(alexnet.fans().in == 363);
  CHECK(alexnet.fans().out == 7'744);
  CHECK(alexnet.backward_cost(2, false).flops.value == 2.0 * 2 * 55 * 55 * 64 * 363);
  CHECK(alexnet.backward_cost(2, true).flops.value == 2 * 2.0 * 2 * 55 * 55 * 64 * 363);
}

}  // namespace
}  // namespace foretrain
