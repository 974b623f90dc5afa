// Stochastic gradient descent (Robbins & Monro 1951).
#pragma once

#include "models/optimizers/optimizer.h"

#include <utility>

namespace foretrain {

/// g' = g + weight_decay w
/// w <- w - rate g'
///
/// No state. Without decay a gradient of zero changes nothing: rows that a sparse gradient lacks
/// can be left out.
class Sgd : public Optimizer {
 public:
  explicit Sgd(OptimizerSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] int slots() const override { return 0; }
  void initialize(std::span<float> state) const override;
  [[nodiscard]] Flops flops_per_parameter() const override;
  void apply(const UpdateContext& context, bool bias, std::span<const float> before,
             std::span<const float> gradient, std::span<float> after,
             std::span<float* const> state) const override;

 private:
  OptimizerSpec spec_;
};

}  // namespace foretrain
