// Stochastic gradient descent (Robbins & Monro 1951).
#pragma once

#include "models/optimizers/optimizer.h"

namespace foretrain {

/// w <- w - learning_rate * g
class Sgd : public Optimizer {
 public:
  explicit Sgd(const OptimizerSpec& spec)
      : learning_rate_(static_cast<float>(spec.learning_rate)) {}

  void apply(std::span<const float> before, std::span<const float> gradient,
             std::span<float> after) const override;

 private:
  float learning_rate_;
};

}  // namespace foretrain
