// FTRL-proximal with rates per coordinate, for sparse models (McMahan with 15 others, 2013).
#pragma once

#include "models/optimizers/optimizer.h"

#include <utility>

namespace foretrain {

/// Algorithm 1 of "Ad click prediction: a view from the trenches" (KDD 2013), alpha being the
/// learning rate:
///
/// g' = g + weight_decay w
/// sigma = (sqrt(n + g'^2) - sqrt(n)) / alpha
/// z <- z + g' - sigma w
/// n <- n + g'^2
/// w <- 0                                                    where |z| <= l1
///      -(z - sign(z) l1) / ((beta + sqrt(n)) / alpha + l2)   elsewhere
///
/// State: z, n, from 0. w follows from the state alone, so training has to start from w = 0, which
/// is what that state means: any other start is forgotten at a parameter's first update. alpha
/// cannot change, since z was summed with it: schedules are refused (the rate of each coordinate
/// falls as alpha / (beta + sqrt(n))). Without decay, from w = 0, a gradient of zero changes
/// nothing: rows that a sparse gradient lacks can be left out.
class Ftrl : public Optimizer {
 public:
  explicit Ftrl(OptimizerSpec spec);

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
