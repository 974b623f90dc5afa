// Stochastic gradient descent (Robbins & Monro 1951).
#pragma once

#include "models/optimizers/update.h"

namespace foretrain {

/// g' = g + weight_decay w
/// w <- w - rate g'
///
/// No state. Without decay a gradient of zero changes nothing: rows absent from a sparse gradient
/// can be left out.
class Sgd final : public Optimizer {
 public:
  using Optimizer::Optimizer;
  [[nodiscard]] int slots() const override { return 0; }

 private:
  [[nodiscard]] double rule_flops() const override { return 2; }

  void update(const Update& u) const override {
    const auto& w = u.before;
    u.after() = w - static_cast<float>(u.rate) * (u.gradient + u.decay * w);
  }
};

}  // namespace foretrain
