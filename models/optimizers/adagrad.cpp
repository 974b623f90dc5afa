#include "models/optimizers/adagrad.h"

#include "models/optimizers/elementwise.h"

#include <algorithm>

namespace foretrain {

void Adagrad::initialize(std::span<float> state) const {
  std::ranges::fill(state, static_cast<float>(spec_.initial_accumulator));
}

// n: 2, w: root, add, multiply, divide, subtract.
Flops Adagrad::flops_per_parameter() const { return {7 + decay_flops(spec_)}; }

void Adagrad::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                    std::span<const float> gradient, std::span<float> after,
                    std::span<float* const> state) const {
  check_update(before, gradient, after, state, slots());
  const auto rates = rates_of(spec_, context, bias);
  const float rate = rates.rate;
  const float decay = rates.decay;
  const auto epsilon = static_cast<float>(spec_.epsilon);
  alignas(64) ElementwiseBlock roots;
  for_each_block(after.size(), [&](std::size_t first, std::size_t length) {
    const float* const w = before.data() + first;
    const float* const g = gradient.data() + first;
    float* const result = after.data() + first;
    float* const n = state[0] + first;
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      const float whole = g[i] + decay * w[i];
      n[i] += whole * whole;
    }
    square_roots(n, length, roots.data());
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      const float whole = g[i] + decay * w[i];
      result[i] = w[i] - rate * whole / (roots[i] + epsilon);
    }
  });
}

}  // namespace foretrain
