// Adam: steps scaled by running moments of the gradient (Kingma & Ba 2015).
#pragma once

#include "models/optimizers/optimizer.h"

#include <utility>

namespace foretrain {

/// Algorithm 1 of the paper, for the update t = version + 1:
///
/// g' = g + weight_decay w             (L2 in the objective, not decoupled as in AdamW)
/// m <- beta1 m + (1 - beta1) g'
/// v <- beta2 v + (1 - beta2) g'^2
/// w <- w - rate m^ / (sqrt(v^) + epsilon),   m^ = m / (1 - beta1^t),   v^ = v / (1 - beta2^t)
///
/// State: m, v, from 0. Of a sparse gradient only the rows present are touched, with the t of all
/// updates: the moments of the others do not decay, nor do they move w, which differs from a dense
/// gradient with zeros.
class Adam : public Optimizer {
 public:
  explicit Adam(OptimizerSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] int slots() const override { return 2; }
  void initialize(std::span<float> state) const override;
  [[nodiscard]] Flops flops_per_parameter() const override;
  void apply(const UpdateContext& context, bool bias, std::span<const float> before,
             std::span<const float> gradient, std::span<float> after,
             std::span<float* const> state) const override;

 private:
  OptimizerSpec spec_;
};

}  // namespace foretrain
