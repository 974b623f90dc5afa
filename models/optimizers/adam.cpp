#include "models/optimizers/adam.h"

#include "models/optimizers/elementwise.h"
#include "models/optimizers/power.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

void Adam::initialize(std::span<float> state) const { std::ranges::fill(state, 0.0F); }

// m: 3, v: 4, w: root, scale, add, multiply, divide, subtract.
Flops Adam::flops_per_parameter() const { return {13 + decay_flops(spec_)}; }

void Adam::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                 std::span<const float> gradient, std::span<float> after,
                 std::span<float* const> state) const {
  check_update(before, gradient, after, state, slots());
  const auto rates = rates_of(spec_, context, bias);
  const std::int64_t t = context.version + 1;
  const float decay = rates.decay;
  const auto beta1 = static_cast<float>(spec_.beta1);
  const auto beta2 = static_cast<float>(spec_.beta2);
  const auto rest1 = static_cast<float>(1 - spec_.beta1);
  const auto rest2 = static_cast<float>(1 - spec_.beta2);
  // The corrections of the moments, folded into what all parameters share.
  const auto step = static_cast<float>(rates.rate / (1 - whole_power(spec_.beta1, t)));
  const auto scale = static_cast<float>(1 / std::sqrt(1 - whole_power(spec_.beta2, t)));
  const auto epsilon = static_cast<float>(spec_.epsilon);
  alignas(64) ElementwiseBlock roots;
  for_each_block(after.size(), [&](std::size_t first, std::size_t length) {
    const float* const w = before.data() + first;
    const float* const g = gradient.data() + first;
    float* const result = after.data() + first;
    float* const m = state[0] + first;
    float* const v = state[1] + first;
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      const float whole = g[i] + decay * w[i];
      m[i] = beta1 * m[i] + rest1 * whole;
      v[i] = beta2 * v[i] + rest2 * (whole * whole);
    }
    square_roots(v, length, roots.data());
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      result[i] = w[i] - step * m[i] / (roots[i] * scale + epsilon);
    }
  });
}

}  // namespace foretrain
