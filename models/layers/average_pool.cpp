#include "models/layers/average_pool.h"

#include "models/base/check.h"
#include "models/layers/example_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

/// Input rows, or columns, of output `i` of `side`.
struct Window {
  Window(int i, int side, int length)
      : first(static_cast<int>(static_cast<std::int64_t>(i) * length / side)),
        last(static_cast<int>(((static_cast<std::int64_t>(i) + 1) * length + side - 1) / side)) {}

  int first;
  int last;  // one behind
  [[nodiscard]] int count() const { return last - first; }
};

void add(const float* __restrict__ from, float scale, int channels, float* __restrict__ to) {
  for (int c = 0; c < channels; ++c) to[c] += from[c] * scale;
}

}  // namespace

AdaptiveAveragePool::AdaptiveAveragePool(Shape input, int side) : input_(input), side_(side) {
  FT_CHECK_OP(side, >=, 1);
}

std::string AdaptiveAveragePool::name() const { return fmt::format("average_pool {0}x{0}", side_); }

Cost AdaptiveAveragePool::forward_cost(std::int64_t batch) const {
  double reads = 0;  // of a channel, by all windows
  for (int y = 0; y < side_; ++y) {
    for (int x = 0; x < side_; ++x) {
      reads += Window(y, side_, input_.rows).count() * Window(x, side_, input_.columns).count();
    }
  }
  return {Flops{reads * static_cast<double>(batch) * input_.channels},
          Bytes{4 * batch * (input_.size() + output().size())}};
}

Cost AdaptiveAveragePool::backward_cost(std::int64_t batch, bool input_gradient) const {
  return input_gradient ? forward_cost(batch) : Cost{};
}

void AdaptiveAveragePool::forward_one(const float* input, float* output) const {
  const int channels = input_.channels;
  for (int oy = 0; oy < side_; ++oy) {
    const Window rows(oy, side_, input_.rows);
    for (int ox = 0; ox < side_; ++ox) {
      const Window columns(ox, side_, input_.columns);
      const float scale = 1.0F / static_cast<float>(rows.count() * columns.count());
      std::fill_n(output, channels, 0.0F);
      for (int y = rows.first; y < rows.last; ++y) {
        for (int x = columns.first; x < columns.last; ++x) {
          const std::int64_t pixel = static_cast<std::int64_t>(y) * input_.columns + x;
          add(input + pixel * channels, scale, channels, output);
        }
      }
      output += channels;
    }
  }
}

void AdaptiveAveragePool::backward_one(const float* output_gradient, float* input_gradient) const {
  const int channels = input_.channels;
  std::fill_n(input_gradient, input_.size(), 0.0F);
  for (int oy = 0; oy < side_; ++oy) {
    const Window rows(oy, side_, input_.rows);
    for (int ox = 0; ox < side_; ++ox) {
      const Window columns(ox, side_, input_.columns);
      const float scale = 1.0F / static_cast<float>(rows.count() * columns.count());
      for (int y = rows.first; y < rows.last; ++y) {
        for (int x = columns.first; x < columns.last; ++x) {
          const std::int64_t pixel = static_cast<std::int64_t>(y) * input_.columns + x;
          add(output_gradient, scale, channels, input_gradient + pixel * channels);
        }
      }
      output_gradient += channels;
    }
  }
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
