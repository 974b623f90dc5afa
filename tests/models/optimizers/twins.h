// Update rules as plain loops in double precision, a reference for the real ones.
#pragma once

#include "models/optimizers/optimizer.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace foretrain {

/// One parameter with the state of any rule.
struct TwinParameter {
  double w = 0;
  double a = 0;  ///< momentum: v; adam: m; adagrad: n; ftrl: z
  double b = 0;  ///< adam: v; ftrl: n
};

/// `rate` includes schedule and group; `t` counts updates from 1.
inline void twin_update(const OptimizerSpec& spec, double rate, double decay, int t,
                        double gradient, TwinParameter& p) {
  const double g = gradient + decay * p.w;
  if (spec.name == "sgd") {
    p.w -= rate * g;
  } else if (spec.name == "momentum") {
    p.a = spec.momentum * p.a + g;
    p.w -= rate * (spec.nesterov ? g + spec.momentum * p.a : p.a);
  } else if (spec.name == "adam") {
    p.a = spec.beta1 * p.a + (1 - spec.beta1) * g;
    p.b = spec.beta2 * p.b + (1 - spec.beta2) * g * g;
    const double mean = p.a / (1 - std::pow(spec.beta1, t));
    const double square = p.b / (1 - std::pow(spec.beta2, t));
    p.w -= rate * mean / (std::sqrt(square) + spec.epsilon);
  } else if (spec.name == "adagrad") {
    p.a += g * g;
    p.w -= rate * g / (std::sqrt(p.a) + spec.epsilon);
  } else {
    const double sigma = (std::sqrt(p.b + g * g) - std::sqrt(p.b)) / rate;
    p.a += g - sigma * p.w;
    p.b += g * g;
    const double sign = p.a < 0 ? -1 : 1;
    p.w = std::abs(p.a) <= spec.l1
              ? 0
              : -(p.a - sign * spec.l1) / ((spec.beta + std::sqrt(p.b)) / rate + spec.l2);
  }
}

/// The state numbers of a rule, in the layout of Optimizer::initialize.
struct RuleState {
  RuleState(const Optimizer& rule, std::size_t parameters)
      : numbers(static_cast<std::size_t>(rule.slots()) * parameters), count(parameters) {
    rule.initialize(numbers);
  }

  /// The state of the parameters from `first` on.
  [[nodiscard]] std::vector<float*> from(std::size_t first) {
    std::vector<float*> slots;
    slots.reserve(count == 0 ? 0 : numbers.size() / count);
    for (std::size_t at = first; at < numbers.size(); at += count) slots.push_back(&numbers[at]);
    return slots;
  }

  std::vector<float> numbers;
  std::size_t count;
};

}  // namespace foretrain
