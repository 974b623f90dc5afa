#include "models/optimizers/sgd.h"

#include "models/base/check.h"
#include "models/optimizers/elementwise.h"

namespace foretrain {

void Sgd::initialize(std::span<float> state) const { FT_CHECK(state.empty()); }

Flops Sgd::flops_per_parameter() const { return {2 + decay_flops(spec_)}; }

void Sgd::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                std::span<const float> gradient, std::span<float> after,
                std::span<float* const> state) const {
  check_update(before, gradient, after, state, slots());
  const auto [rate, decay] = rates_of(spec_, context, bias);
  const float* const w = before.data();
  const float* const g = gradient.data();
  float* const result = after.data();
  FT_ELEMENTWISE
  for (std::size_t i = 0; i < after.size(); ++i) result[i] = w[i] - rate * (g[i] + decay * w[i]);
}

}  // namespace foretrain
