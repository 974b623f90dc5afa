#include "models/optimizers/momentum.h"

#include "models/optimizers/elementwise.h"

#include <algorithm>

namespace foretrain {

void Momentum::initialize(std::span<float> state) const { std::ranges::fill(state, 0.0F); }

Flops Momentum::flops_per_parameter() const {
  return {(spec_.nesterov ? 6 : 4) + decay_flops(spec_)};
}

void Momentum::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                     std::span<const float> gradient, std::span<float> after,
                     std::span<float* const> state) const {
  check_update(before, gradient, after, state, slots());
  const auto [rate, decay] = rates_of(spec_, context, bias);
  const auto momentum = static_cast<float>(spec_.momentum);
  const float* const w = before.data();
  const float* const g = gradient.data();
  float* const result = after.data();
  float* const v = state[0];
  if (spec_.nesterov) {
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < after.size(); ++i) {
      const float whole = g[i] + decay * w[i];
      v[i] = momentum * v[i] + whole;
      result[i] = w[i] - rate * (whole + momentum * v[i]);
    }
  } else {
    FT_ELEMENTWISE
    for (std::size_t i = 0; i < after.size(); ++i) {
      v[i] = momentum * v[i] + (g[i] + decay * w[i]);
      result[i] = w[i] - rate * v[i];
    }
  }
}

}  // namespace foretrain
