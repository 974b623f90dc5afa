// The dense layer against a plain twin in double precision.
#include "models/layers/dense.h"

#include "tests/models/layers/twin.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain {
namespace {

using twin::Doubles;

struct Size {
  int batch, inputs, outputs;
};

// y = max(0, x W + b), in double precision.
Doubles exact_output(const Size& size, const Doubles& x, const Doubles& parameters, bool relu) {
  Doubles y(static_cast<std::size_t>(size.batch) * size.outputs);
  for (int e = 0; e < size.batch; ++e) {
    for (int o = 0; o < size.outputs; ++o) {
      double sum = parameters[static_cast<std::size_t>(size.inputs) * size.outputs + o];
      for (int i = 0; i < size.inputs; ++i) {
        sum += x[static_cast<std::size_t>(e) * size.inputs + i] *
               parameters[static_cast<std::size_t>(i) * size.outputs + o];
      }
      y[static_cast<std::size_t>(e) * size.outputs + o] = relu ? std::max(0.0, sum) : sum;
    }
  }
  return y;
}

struct Exact {
  Doubles output, gradient, input_gradient;
};

Exact exact_passes(const Size& size, const twin::Inputs& in, bool relu) {
  const Doubles x(in.input.begin(), in.input.end());
  const Doubles w(in.parameters.begin(), in.parameters.end());
  Exact exact{exact_output(size, x, w, relu), Doubles(w.size()), Doubles(x.size())};
  for (int e = 0; e < size.batch; ++e) {
    for (int o = 0; o < size.outputs; ++o) {
      const std::size_t at = static_cast<std::size_t>(e) * size.outputs + o;
      const double dy = relu && exact.output[at] <= 0 ? 0 : in.output_gradient[at];
      exact.gradient[static_cast<std::size_t>(size.inputs) * size.outputs + o] += dy;
      for (int i = 0; i < size.inputs; ++i) {
        const std::size_t k = static_cast<std::size_t>(e) * size.inputs + i;
        const std::size_t weight = static_cast<std::size_t>(i) * size.outputs + o;
        exact.gradient[weight] += dy * x[k];
        exact.input_gradient[k] += dy * w[weight];
      }
    }
  }
  return exact;
}

void check_against_twin(const Size& size, bool relu, Stream& stream) {
  CAPTURE(size.batch, size.inputs, size.outputs, relu);
  const Dense layer(size.inputs, size.outputs, relu);
  const twin::Inputs in(layer, size.inputs, size.batch, stream);
  Serial serial;
  const twin::Results results = twin::run(layer, in, true, serial);
  const Exact exact = exact_passes(size, in, relu);
  twin::check_close(results.output, exact.output);
  twin::check_close(results.gradient, exact.gradient);
  twin::check_close(results.input_gradient, exact.input_gradient);
  const twin::Results first = twin::run(layer, in, false, serial);
  CHECK(first.gradient == results.gradient);
}

TEST_CASE("dense: both passes agree with the double twin at the sizes of networks") {
  Stream stream(1, "test");
  for (const Size& size : {Size{8, 400, 120}, Size{3, 120, 84}, Size{8, 84, 10}, Size{1, 784, 10},
                           Size{16, 300, 600}, Size{2, 1, 1}, Size{65, 7, 1}}) {
    check_against_twin(size, true, stream);
  }
}

TEST_CASE("dense: both passes agree with the double twin at drawn sizes") {
  const std::uint64_t seed = 17;
  CAPTURE(seed);
  Stream stream(seed, "test");
  for (int trial = 0; trial < 30; ++trial) {
    const Size size{1 + static_cast<int>(stream.below(20)), 1 + static_cast<int>(stream.below(300)),
                    1 + static_cast<int>(stream.below(60))};
    check_against_twin(size, trial % 2 == 0, stream);
  }
}

TEST_CASE("dense: the gradient agrees with finite differences of the double twin") {
  Stream stream(2, "test");
  const Size size{5, 23, 11};
  const Dense layer(size.inputs, size.outputs, true);
  const twin::Inputs in(layer, size.inputs, size.batch, stream);
  Serial serial;
  const twin::Results results = twin::run(layer, in, true, serial);
  const Doubles x(in.input.begin(), in.input.end());
  const Doubles w(in.parameters.begin(), in.parameters.end());
  const auto loss = [&](const Doubles& input, const Doubles& parameters) {
    const Doubles y = exact_output(size, input, parameters, true);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * in.output_gradient[i];
    return sum;
  };
  const double step = 1e-6;
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t i = stream.below(w.size());
    const std::size_t k = stream.below(x.size());
    CAPTURE(i, k);
    Doubles above = w, below = w;
    above[i] += step;
    below[i] -= step;
    const double by_weight = (loss(x, above) - loss(x, below)) / (2 * step);
    CHECK(results.gradient[i] == Approx(by_weight).epsilon(1e-4).margin(1e-4));
    above = below = x;
    above[k] += step;
    below[k] -= step;
    const double by_input = (loss(above, w) - loss(below, w)) / (2 * step);
    CHECK(results.input_gradient[k] == Approx(by_input).epsilon(1e-4).margin(1e-4));
  }
}

TEST_CASE("dense: one thread or three make the same bits") {
  Stream stream(3, "test");
  const Dense layer(700, 600, true);
  const twin::Inputs in(layer, 700, 9, stream);
  Serial serial;
  twin::ThreadPerShare two(2);
  twin::ThreadPerShare three(3);
  const twin::Results results = twin::run(layer, in, true, serial);
  CHECK(twin::run(layer, in, true, two) == results);
  CHECK(twin::run(layer, in, true, three) == results);
}

TEST_CASE("dense: the same bits wherever the numbers lie in memory") {
  Stream stream(4, "test");
  for (const int outputs : {10, 64}) {
    const Dense layer(90, outputs, true);
    const twin::Inputs in(layer, 90, 5, stream);
    Serial serial;
    const twin::Results results = twin::run(layer, in, true, serial);
    for (std::size_t offset = 1; offset < 64; ++offset) {
      CAPTURE(offset);
      CHECK(twin::run(layer, in, true, serial, offset) == results);
    }
  }
}

TEST_CASE("dense: counted parameters and operations") {
  const Dense layer(784, 10, false);
  CHECK(layer.name() == "dense 784 -> 10");
  CHECK(Dense(400, 120, true).name() == "dense 400 -> 120 + relu");
  CHECK(layer.parameters() == 7'850);
  CHECK(layer.forward_cost(64).flops.value == 2.0 * 64 * 784 * 10);
  CHECK(layer.backward_cost(64, false).flops.value == 2.0 * 64 * 784 * 10);
  CHECK(layer.backward_cost(64, true).flops.value == 2.0 * 2 * 64 * 784 * 10);
  CHECK(layer.forward_cost(64).bytes.value == 4 * (64 * 794 + 7'850));
}

}  // namespace
}  // namespace foretrain
