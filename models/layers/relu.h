// A rectifier as a separate layer.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = max(0, x), NaN if x is NaN. After a dense layer or a convolution, or before a max pool, it
/// is part of them.
class Relu final : public Layer {
 public:
  explicit Relu(Shape shape) : shape_(shape) {}

  [[nodiscard]] std::string name() const override { return "relu"; }
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] bool by_example() const override { return true; }
  [[nodiscard]] BackwardReads reads() const override { return {false, true}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  Shape shape_;
};

}  // namespace foretrain
