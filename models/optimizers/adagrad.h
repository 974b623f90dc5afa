// Adagrad: steps that shrink with the sum of squared gradients (Duchi, Hazan, Singer 2011).
#pragma once

#include "models/optimizers/update.h"

#include <algorithm>

namespace foretrain {

/// The diagonal form:
///
/// g' = g + weight_decay w
/// n <- n + g'^2
/// w <- w - rate g' / (sqrt(n) + epsilon)
///
/// State: n, starting at initial_accumulator. Without decay a gradient of zero changes nothing:
/// rows absent from a sparse gradient can be left out.
class Adagrad final : public Optimizer {
 public:
  using Optimizer::Optimizer;
  [[nodiscard]] int slots() const override { return 1; }
  void initialize(std::span<float> state) const override {
    std::ranges::fill(state, static_cast<float>(spec().initial_accumulator));
  }

 private:
  // n: 2, w: root, add, multiply, divide, subtract.
  [[nodiscard]] double rule_flops() const override { return 7; }

  [[gnu::flatten]] void update(const Update& u) const override {
    const auto rate = static_cast<float>(u.rate);
    const auto epsilon = static_cast<float>(spec().epsilon);
    for_each_block(u.size(), [&](const auto& part) {
      const auto w = part(u.before);
      const auto g = part(u.gradient) + u.decay * w;
      const auto n = (part(u.state(0)) + g.square()).eval();
      part(u.state(0)) = n;
      part(u.after()) = w - rate * g / (root(n) + epsilon);
    });
  }
};

}  // namespace foretrain
