// Layers run against plain twins in double precision.
#pragma once

#include "models/base/parallel.h"
#include "models/base/random.h"
#include "models/layers/layer.h"
#include "models/tensor/floats.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace foretrain::twin {

using Doubles = std::vector<double>;

/// Parts on threads of their own, dealt round.
class ThreadPerShare : public Parallel {
 public:
  explicit ThreadPerShare(int threads) : threads_(threads) {}
  [[nodiscard]] int threads() const override { return threads_; }
  void run(int parts, const std::function<void(int)>& part) override {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(threads_));
    for (int t = 0; t < threads_; ++t) {
      threads.emplace_back([=, this] {
        for (int i = t; i < parts; i += threads_) part(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int threads_;
};

inline std::vector<float> draw(std::size_t count, Stream& stream) {
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(stream.normal());
  return numbers;
}

/// What a layer reads.
struct Inputs {
  std::int64_t batch = 0;
  std::vector<float> parameters, input, output_gradient;

  Inputs(const Layer& layer, std::int64_t input_size, std::int64_t examples, Stream& stream)
      : batch(examples),
        parameters(draw(static_cast<std::size_t>(layer.parameters()), stream)),
        input(draw(static_cast<std::size_t>(examples * input_size), stream)),
        output_gradient(draw(static_cast<std::size_t>(examples * layer.output().size()), stream)) {}
};

/// What a layer makes of it.
struct Results {
  std::vector<float> output, gradient, input_gradient;
  bool operator==(const Results&) const = default;
};

/// Numbers that lie `offset` after a 64-byte border, are followed by others that must stay as they
/// are, and begin as NaN unless they are given.
class Buffer {
 public:
  Buffer(std::size_t size, std::size_t offset, const std::vector<float>& from = {})
      : size_(size), at_(floats_.reserve(size + offset + kMargin).data() + offset) {
    wipe();
    std::copy(from.begin(), from.end(), at_);
    std::fill_n(at_ + size_, kMargin, kUntouched);
  }
  [[nodiscard]] float* at() const { return at_; }
  [[nodiscard]] std::span<float> span() const { return {at_, size_}; }
  void wipe() { std::fill_n(at_, size_, std::nanf("")); }
  [[nodiscard]] std::vector<float> take() const {
    for (std::size_t i = 0; i < kMargin; ++i) REQUIRE(at_[size_ + i] == kUntouched);
    return {at_, at_ + size_};
  }

 private:
  static constexpr std::size_t kMargin = 64;
  static constexpr float kUntouched = -12345.0F;
  Floats floats_;
  std::size_t size_;
  float* at_;
};

/// Runs both passes with every buffer at `offset`.
inline Results run(const Layer& layer, const Inputs& in, bool input_gradient, Parallel& parallel,
                   std::size_t offset = 0) {
  const auto outputs = static_cast<std::size_t>(in.batch * layer.output().size());
  const Buffer parameters(in.parameters.size(), offset, in.parameters);
  const Buffer input(in.input.size(), offset, in.input);
  const Buffer output(outputs, offset);
  const Buffer output_gradient(outputs, offset, in.output_gradient);
  const Buffer gradient(in.parameters.size(), offset);
  const Buffer inputs(in.input.size(), offset);
  Buffer scratch(static_cast<std::size_t>(layer.scratch_floats(in.batch)), offset);

  ForwardPass forward;
  forward.batch = in.batch;
  forward.parameters = parameters.span();
  forward.input = input.at();
  forward.scratch = scratch.at();
  forward.parallel = &parallel;
  BackwardPass backward;
  static_cast<LayerPass&>(backward) = forward;
  forward.output = output.at();
  layer.forward(forward);
  (void)scratch.take();
  scratch.wipe();
  backward.output = output.at();
  backward.output_gradient = output_gradient.at();
  backward.input_gradient = input_gradient ? inputs.at() : nullptr;
  backward.gradient = gradient.span();
  layer.backward(backward);
  (void)scratch.take();
  (void)output_gradient.take();
  if (!input_gradient) return {output.take(), gradient.take(), {}};
  return {output.take(), gradient.take(), inputs.take()};
}

/// Equal to the rounding of a sum of numbers around one.
inline void check_close(const std::vector<float>& numbers, const Doubles& exact) {
  REQUIRE(numbers.size() == exact.size());
  double largest = 0;
  for (const double x : exact) largest = std::max(largest, std::abs(x));
  std::size_t wrong = 0;
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = std::abs(numbers[i] - exact[i]);
    if (!(error <= 1e-5 * (largest + 1))) ++wrong;
    worst = std::max(worst, error);
  }
  CAPTURE(worst, largest);
  CHECK(wrong == 0);
}

}  // namespace foretrain::twin
