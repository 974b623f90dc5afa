#include "models/optimizers/optimizer.h"

#include "models/base/check.h"
#include "models/optimizers/update.h"

#include <algorithm>

namespace foretrain {

void Optimizer::initialize(std::span<float> state) const { std::ranges::fill(state, 0.0F); }

Flops Optimizer::flops_per_parameter() const {
  const bool decays = spec_.weight_decay != 0 || spec_.biases.weight_decay != 0;
  return {rule_flops() + (decays ? 2 : 0)};  // multiply, add
}

void Optimizer::apply(const UpdateContext& context, bool bias, std::span<const float> before,
                      std::span<const float> gradient, std::span<float> after,
                      std::span<float* const> state) const {
  FT_CHECK_OP(before.size(), ==, gradient.size());
  FT_CHECK_OP(before.size(), ==, after.size());
  FT_CHECK_OP(std::ssize(state), ==, slots());
  const double rate = spec_.learning_rate * rate_factor(spec_.schedule, context.examples) *
                      (bias ? spec_.biases.rate_factor : 1);
  const double decay = bias ? spec_.biases.weight_decay : spec_.weight_decay;
  update({context.version, rate, static_cast<float>(decay), array(before), array(gradient), after,
          state});
}

}  // namespace foretrain
