// Adam: steps scaled by running moments of the gradient (Kingma & Ba 2015).
#pragma once

#include "models/optimizers/update.h"

#include <cmath>

namespace foretrain {

/// Algorithm 1 of the paper, for the update t = version + 1:
///
/// g' = g + weight_decay w             (L2 in the objective, not decoupled as in AdamW)
/// m <- beta1 m + (1 - beta1) g'
/// v <- beta2 v + (1 - beta2) g'^2
/// w <- w - rate m^ / (sqrt(v^) + epsilon),   m^ = m / (1 - beta1^t),   v^ = v / (1 - beta2^t)
///
/// State: m, v, starting at 0. With a sparse gradient only the present rows change, with the t of
/// all updates: the moments of absent rows do not decay, nor do they move w, which differs from a
/// dense gradient with zeros.
class Adam final : public Optimizer {
 public:
  using Optimizer::Optimizer;
  [[nodiscard]] int slots() const override { return 2; }

 private:
  // m: 3, v: 4, w: root, scale, add, multiply, divide, subtract.
  [[nodiscard]] double rule_flops() const override { return 13; }

  [[gnu::flatten]] void update(const Update& u) const override {
    const std::int64_t t = u.version + 1;
    const auto beta1 = static_cast<float>(spec().beta1);
    const auto beta2 = static_cast<float>(spec().beta2);
    const auto rest1 = static_cast<float>(1 - spec().beta1);
    const auto rest2 = static_cast<float>(1 - spec().beta2);
    // The corrections of the moments are included in factors shared by all parameters.
    const auto rate = static_cast<float>(u.rate / (1 - whole_power(spec().beta1, t)));
    const auto scale = static_cast<float>(1 / std::sqrt(1 - whole_power(spec().beta2, t)));
    const auto epsilon = static_cast<float>(spec().epsilon);
    for_each_block(u.size(), [&](const auto& part) {
      const auto w = part(u.before);
      const auto g = part(u.gradient) + u.decay * w;
      const auto m = (beta1 * part(u.state(0)) + rest1 * g).eval();
      const auto v = (beta2 * part(u.state(1)) + rest2 * g.square()).eval();
      part(u.state(0)) = m;
      part(u.state(1)) = v;
      part(u.after()) = w - rate * m / (root(v) * scale + epsilon);
    });
  }
};

}  // namespace foretrain
