// Adagrad: steps that shrink with the sum of squared gradients (Duchi, Hazan, Singer 2011).
#pragma once

#include "models/optimizers/optimizer.h"

#include <utility>

namespace foretrain {

/// The diagonal form:
///
/// g' = g + weight_decay w
/// n <- n + g'^2
/// w <- w - rate g' / (sqrt(n) + epsilon)
///
/// State: n, from initial_accumulator. Without decay a gradient of zero changes nothing: rows that
/// a sparse gradient lacks can be left out.
class Adagrad : public Optimizer {
 public:
  explicit Adagrad(OptimizerSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] int slots() const override { return 1; }
  void initialize(std::span<float> state) const override;
  [[nodiscard]] Flops flops_per_parameter() const override;
  void apply(const UpdateContext& context, bool bias, std::span<const float> before,
             std::span<const float> gradient, std::span<float> after,
             std::span<float* const> state) const override;

 private:
  OptimizerSpec spec_;
};

}  // namespace foretrain
