// Gradient descent with momentum (Polyak 1964; Nesterov's form: Sutskever with others, 2013).
#pragma once

#include "models/optimizers/update.h"

namespace foretrain {

/// g' = g + weight_decay w
/// v <- momentum v + g'
/// w <- w - rate v                     (heavy ball: Polyak 1964)
/// w <- w - rate (g' + momentum v)     (nesterov: Sutskever et al. 2013, w being the place at which
///                                      the gradient was computed)
///
/// The rate is outside v, as in PyTorch: when a schedule changes it, the whole step changes. State:
/// v, starting at 0. With a sparse gradient only the present rows change: v of absent rows neither
/// decays nor moves w, which differs from a dense gradient with zeros.
class Momentum final : public Optimizer {
 public:
  using Optimizer::Optimizer;
  [[nodiscard]] int slots() const override { return 1; }

 private:
  [[nodiscard]] double rule_flops() const override { return spec().nesterov ? 6 : 4; }

  [[gnu::flatten]] void update(const Update& u) const override {
    const auto rate = static_cast<float>(u.rate);
    const auto momentum = static_cast<float>(spec().momentum);
    for_each_block(u.size(), [&](const auto& part) {
      const auto w = part(u.before);
      const auto g = part(u.gradient) + u.decay * w;
      const auto v = (momentum * part(u.state(0)) + g).eval();
      auto after = part(u.after());
      part(u.state(0)) = v;
      if (spec().nesterov) {
        after = w - rate * (g + momentum * v);
      } else {
        after = w - rate * v;
      }
    });
  }
};

}  // namespace foretrain
