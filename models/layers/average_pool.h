// Averages over windows that cover an image of any size.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// Output row i, of `side`, is the mean over the input rows floor(i rows / side) to ceil((i + 1)
/// rows / side) - 1; columns likewise (as in PyTorch's AdaptiveAvgPool2d). Windows overlap if
/// `side` does not divide the rows; if they are equal the layer is a copy, which a network leaves
/// out.
class AdaptiveAveragePool final : public Layer {
 public:
  AdaptiveAveragePool(Shape input, int side);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return {side_, side_, input_.channels}; }
  [[nodiscard]] bool by_example() const override { return true; }
  [[nodiscard]] BackwardReads reads() const override { return {false, false}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  [[nodiscard]] bool copies() const { return input_.rows == side_ && input_.columns == side_; }
  /// [rows][columns][channels], of one example.
  void forward_one(const float* input, float* output) const;
  void backward_one(const float* output_gradient, float* input_gradient) const;

  Shape input_;
  int side_;
};

}  // namespace foretrain
