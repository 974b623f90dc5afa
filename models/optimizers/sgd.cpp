#include "models/optimizers/sgd.h"

#include "models/base/check.h"

namespace foretrain {

void Sgd::apply(std::span<const float> before, std::span<const float> gradient,
                std::span<float> after) const {
  FT_CHECK_OP(before.size(), ==, gradient.size());
  FT_CHECK_OP(before.size(), ==, after.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = before[i] - learning_rate_ * gradient[i];
  }
}

}  // namespace foretrain
