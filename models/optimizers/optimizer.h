// How a gradient changes the parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What a scenario says of the optimizer.
struct OptimizerSpec {
  std::string name = "sgd";
  double learning_rate = 0.1;  ///< factor of the gradient of the mean loss

  bool operator==(const OptimizerSpec&) const = default;
};

/// An update rule. It works element by element, so any part of the parameters can be applied
/// by itself, in place or into another buffer.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// after = rule(before, gradient); all three of one length; `after` may be `before`.
  virtual void apply(std::span<const float> before, std::span<const float> gradient,
                     std::span<float> after) const = 0;
};

std::vector<std::string> optimizer_names();
/// The optimizer called `spec.name`, which must be one of `optimizer_names`.
std::unique_ptr<const Optimizer> make_optimizer(const OptimizerSpec& spec);

}  // namespace foretrain
