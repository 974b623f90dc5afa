// A convolution of images with square windows.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

struct ConvShape {
  int channels;     ///< of the output
  int size;         ///< side of the window, pixels
  int stride = 1;   ///< pixels between two windows
  int padding = 0;  ///< zero pixels added at each side
  bool bias = true;
};

/// y[oy][ox][o] = b[o] + sum over ky, kx, i of x[oy s + ky - p][ox s + kx - p][i] W[ky][kx][i][o],
/// x being zero outside the image, then max(0, y) if `relu`. Its parameters are W by
/// [ky][kx][input channel][output channel], then b; without `bias` b is zero and no parameter.
class Conv2d final : public Layer {
 public:
  Conv2d(Shape input, const ConvShape& shape, bool relu);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return output_; }
  [[nodiscard]] std::int64_t weights() const override;
  [[nodiscard]] std::int64_t biases() const override { return shape_.bias ? shape_.channels : 0; }
  [[nodiscard]] bool by_example() const override { return true; }
  [[nodiscard]] BackwardReads reads() const override { return {true, relu_}; }
  [[nodiscard]] std::vector<std::int64_t> weight_shape() const override {
    return {shape_.size, shape_.size, input_.channels, shape_.channels};
  }
  [[nodiscard]] Fans fans() const override;
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  [[nodiscard]] std::int64_t scratch_floats(std::int64_t batch, int simd) const override;
  [[nodiscard]] std::int64_t forward_scratch_floats(std::int64_t batch, int simd) const override;

  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  Shape input_;
  Shape output_;
  ConvShape shape_;
  bool relu_;
};

}  // namespace foretrain
