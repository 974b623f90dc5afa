// FTRL-proximal with rates per coordinate, for sparse models (McMahan with 15 others, 2013).
#pragma once

#include "models/base/check.h"
#include "models/optimizers/update.h"

namespace foretrain {

/// Algorithm 1 of "Ad click prediction: a view from the trenches" (KDD 2013), where alpha is the
/// learning rate:
///
/// g' = g + weight_decay w
/// sigma = (sqrt(n + g'^2) - sqrt(n)) / alpha
/// z <- z + g' - sigma w
/// n <- n + g'^2
/// w <- 0                                                    if |z| <= l1
///      -(z - sign(z) l1) / ((beta + sqrt(n)) / alpha + l2)   else
///
/// State: z, n, starting at 0. w follows from the state alone, so training has to start from w = 0,
/// the value of that state: any other start is lost at a parameter's first update. alpha cannot
/// change, since z was summed with it: schedules are rejected (the rate of each coordinate falls as
/// alpha / (beta + sqrt(n))). Without decay, from w = 0, a gradient of zero changes nothing: rows
/// absent from a sparse gradient can be left out.
class Ftrl final : public Optimizer {
 public:
  explicit Ftrl(const OptimizerSpec& spec) : Optimizer(spec) {
    FT_CHECK(spec.schedule == ScheduleSpec{});
  }
  [[nodiscard]] int slots() const override { return 2; }

 private:
  // n: 2, sigma: 2 roots, subtract, multiply; z: 3; w: clamp, subtract; add, multiply, add, divide,
  // compare, negate.
  [[nodiscard]] double rule_flops() const override { return 18; }

  [[gnu::flatten]] void update(const Update& u) const override {
    const auto alpha = static_cast<float>(u.rate);
    if (alpha == 0) {  // frozen biases: the equation would divide by it
      u.after() = u.before;
      return;
    }
    const float per_alpha = 1 / alpha;
    const auto beta = static_cast<float>(spec().beta);
    const auto l1 = static_cast<float>(spec().l1);
    const auto l2 = static_cast<float>(spec().l2);
    for_each_block(u.size(), [&](const auto& part) {
      const auto w = part(u.before);
      const auto g = part(u.gradient) + u.decay * w;
      const auto n_before = part(u.state(1)).eval();
      const auto n = (n_before + g.square()).eval();
      const auto root_n = root(n).eval();
      const auto sigma = (root_n - root(n_before)) * per_alpha;
      const auto z = (part(u.state(0)) + (g - sigma * w)).eval();
      // Both cases of w in one: within +-l1 it is (z - z) / ..., which is +0, where w started.
      part(u.after()) = (z.max(-l1).min(l1) - z) / ((beta + root_n) * per_alpha + l2);
      part(u.state(0)) = z;
      part(u.state(1)) = n;
    });
  }
};

}  // namespace foretrain
