// Gradient descent with momentum (Polyak 1964; Nesterov's form: Sutskever with others, 2013).
#pragma once

#include "models/optimizers/optimizer.h"

#include <utility>

namespace foretrain {

/// g' = g + weight_decay w
/// v <- momentum v + g'
/// w <- w - rate v                     (heavy ball: Polyak 1964)
/// w <- w - rate (g' + momentum v)     (nesterov: Sutskever et al. 2013, w being the point that
///                                      the gradient was taken at)
///
/// The rate is outside v, as in PyTorch: when a schedule changes it, the whole step changes. State:
/// v, from 0. Of a sparse gradient only the rows present are touched: v of the others neither
/// decays nor moves w, which differs from a dense gradient with zeros.
class Momentum : public Optimizer {
 public:
  explicit Momentum(OptimizerSpec spec) : spec_(std::move(spec)) {}

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
