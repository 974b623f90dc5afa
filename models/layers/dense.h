// A fully connected layer.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x W + b, then max(0, y) if `relu`, with x: [batch][inputs], W: [inputs][outputs], b:
/// [outputs]. Its parameters are W, then b. An input of any shape is read as one vector.
class Dense final : public Layer {
 public:
  Dense(int inputs, int outputs, bool relu);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return {1, 1, outputs_}; }
  [[nodiscard]] std::int64_t weights() const override {
    return static_cast<std::int64_t>(inputs_) * outputs_;
  }
  [[nodiscard]] std::int64_t biases() const override { return outputs_; }
  [[nodiscard]] BackwardReads reads() const override { return {true, relu_}; }
  [[nodiscard]] std::vector<std::int64_t> weight_shape() const override {
    return {inputs_, outputs_};
  }
  [[nodiscard]] Fans fans() const override { return {inputs_, outputs_}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  [[nodiscard]] std::int64_t scratch_floats(std::int64_t batch, int simd) const override;
  [[nodiscard]] std::int64_t forward_scratch_floats(std::int64_t batch, int simd) const override;

  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  int inputs_;
  int outputs_;
  bool relu_;
};

}  // namespace foretrain
