#include "models/optimizers/ftrl.h"

#include "models/base/check.h"
#include "models/optimizers/elementwise.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

Ftrl::Ftrl(OptimizerSpec spec) : spec_(std::move(spec)) {
  FT_CHECK(spec_.schedule == ScheduleSpec{});
}

void Ftrl::initialize(std::span<float> state) const { std::ranges::fill(state, 0.0F); }

// n: 2, sigma: 2 roots, subtract, multiply; z: 3; w: size, subtract, compare, sign; add, multiply,
// add, divide, negate.
Flops Ftrl::flops_per_parameter() const { return {18 + decay_flops(spec_)}; }

void Ftrl::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                 std::span<const float> gradient, std::span<float> after,
                 std::span<float* const> state) const {
  check_update(before, gradient, after, state, slots());
  const UpdateRates rates = rates_of(spec_, context, bias);
  const float alpha = rates.rate;
  const float decay = rates.decay;
  if (alpha == 0) {  // frozen biases: the equation would divide by it
    std::ranges::copy(before, after.begin());
    return;
  }
  const float per_alpha = 1 / alpha;
  const auto beta = static_cast<float>(spec_.beta);
  const auto l1 = static_cast<float>(spec_.l1);
  const auto l2 = static_cast<float>(spec_.l2);
  alignas(64) ElementwiseBlock whole;
  alignas(64) ElementwiseBlock old_roots;
  alignas(64) ElementwiseBlock roots;
  for_each_block(after.size(), [&](std::size_t first, std::size_t length) {
    const float* const w = before.data() + first;
    const float* const g = gradient.data() + first;
    float* const result = after.data() + first;
    float* const z = state[0] + first;
    float* const n = state[1] + first;
    square_roots(n, length, old_roots.data());
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      whole[i] = g[i] + decay * w[i];
      n[i] += whole[i] * whole[i];
    }
    square_roots(n, length, roots.data());
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < length; ++i) {
      const float sigma = (roots[i] - old_roots[i]) * per_alpha;
      const float sum = z[i] + (whole[i] - sigma * w[i]);
      z[i] = sum;
      // The two cases of w in one: 0 - 0 is +0, as where w started.
      const float beyond = std::max(std::abs(sum) - l1, 0.0F);
      result[i] = 0.0F - std::copysign(beyond, sum) / ((beta + roots[i]) * per_alpha + l2);
    }
  });
}

}  // namespace foretrain
