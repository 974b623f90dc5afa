// A fully connected layer.
#pragma once

#include "models/base/cost.h"
#include "models/tensor/matrix.h"

#include <cstdint>
#include <span>

namespace foretrain {

/// y = x W + b, with x: [batch, inputs], W: [inputs, outputs], b: [outputs]. Its parameters are W
/// by rows, then b.
struct Dense {
  int inputs = 0;
  int outputs = 0;

  [[nodiscard]] std::int64_t parameters() const {
    return static_cast<std::int64_t>(inputs) * outputs + outputs;
  }

  /// output: [batch, outputs], resized where it is not.
  void forward(std::span<const float> parameters, const Matrix& input, Matrix& output) const;

  /// From the loss's gradient by the output, [batch, outputs], to its gradient by the parameters.
  void backward(const Matrix& input, const Matrix& output_gradient,
                std::span<float> gradient) const;

  [[nodiscard]] Cost forward_cost(std::int64_t batch) const;
  /// Without the gradient by the input: nothing lies before the first layer.
  [[nodiscard]] Cost backward_cost(std::int64_t batch) const;
};

}  // namespace foretrain
