#include "models/layers/average_pool.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"
#include "models/tensor/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

/// Input rows, or columns, of output `i` of `side`.
struct PooledSpan {
  PooledSpan(int i, int side, int length)
      : first(static_cast<int>(static_cast<std::int64_t>(i) * length / side)),
        last(static_cast<int>(((static_cast<std::int64_t>(i) + 1) * length + side - 1) / side)) {}

  int first;
  int last;  // one past the end
  [[nodiscard]] int count() const { return last - first; }
};

/// Calls body(output pixel, input pixel, factor) for each pixel of each window.
template <class Body>
void for_windows(const Shape& input, int side, const Body& body) {
  for (int out = 0; out < side * side; ++out) {
    const PooledSpan rows(out / side, side, input.rows);
    const PooledSpan columns(out % side, side, input.columns);
    const float factor = 1.0F / static_cast<float>(rows.count() * columns.count());
    for (int y = rows.first; y < rows.last; ++y) {
      for (int x = columns.first; x < columns.last; ++x) {
        body(out, std::int64_t{y} * input.columns + x, factor);
      }
    }
  }
}

}  // namespace

AdaptiveAveragePool::AdaptiveAveragePool(Shape input, int side) : input_(input), side_(side) {
  FT_CHECK_OP(side, >=, 1);
}

std::string AdaptiveAveragePool::name() const { return fmt::format("average_pool {0}x{0}", side_); }

Cost AdaptiveAveragePool::forward_cost(std::int64_t batch) const {
  double reads = 0;  // of one channel, by all windows
  for_windows(input_, side_, [&](auto /*out*/, auto /*in*/, auto /*factor*/) { ++reads; });
  return activations_cost(reads * static_cast<double>(batch) * input_.channels,
                          4 * batch * input_.size(), 4 * batch * output().size());
}

Cost AdaptiveAveragePool::backward_cost(std::int64_t batch, bool input_gradient) const {
  if (!input_gradient) return {};
  Cost cost = forward_cost(batch);
  std::swap(cost.read, cost.written);
  return cost;
}

void AdaptiveAveragePool::forward_one(const float* input, float* output) const {
  const int channels = input_.channels;
  ArrayMap(output, this->output().size()).setZero();
  for_windows(input_, side_, [&](std::int64_t out, std::int64_t in, float factor) {
    ArrayMap(output + out * channels, channels) +=
        ConstArrayMap(input + in * channels, channels) * factor;
  });
}

void AdaptiveAveragePool::backward_one(const float* output_gradient, float* input_gradient) const {
  const int channels = input_.channels;
  ArrayMap(input_gradient, input_.size()).setZero();
  for_windows(input_, side_, [&](std::int64_t out, std::int64_t in, float factor) {
    ArrayMap(input_gradient + in * channels, channels) +=
        ConstArrayMap(output_gradient + out * channels, channels) * factor;
  });
}

void AdaptiveAveragePool::forward(const ForwardPass& pass) const {
  const std::int64_t in = input_.size();
  const std::int64_t out = output().size();
  if (copies()) {
    std::copy_n(pass.input, pass.batch * in, pass.output);
    return;
  }
  for_examples(*pass.parallel, pass.batch, in,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   forward_one(pass.input + i * in, pass.output + i * out);
                 }
               });
}

void AdaptiveAveragePool::backward(const BackwardPass& pass) const {
  if (pass.input_gradient == nullptr) return;
  const std::int64_t in = input_.size();
  const std::int64_t out = output().size();
  if (copies()) {
    std::copy_n(pass.output_gradient, pass.batch * in, pass.input_gradient);
    return;
  }
  for_examples(*pass.parallel, pass.batch, in,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   backward_one(pass.output_gradient + i * out, pass.input_gradient + i * in);
                 }
               });
}

}  // namespace foretrain
