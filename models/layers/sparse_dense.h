// A fully connected layer that reads sparse examples.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x W + b, with x: the rows of `pass.sparse`, W: [features][outputs], b: [outputs]. Its
/// parameters are W by rows, then b. It is the first layer, so it computes no gradient by x.
///
/// In compact form W has only the rows of the batch's distinct features, and the numbers have the
/// same bits. Sums go over the examples in order, and over an example's entries in order.
class SparseDense final : public Layer {
 public:
  /// `entries`: the mean number of values in an example, used to count costs.
  SparseDense(std::int64_t features, int outputs, double entries);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return {1, 1, outputs_}; }
  [[nodiscard]] std::int64_t weights() const override { return features_ * outputs_; }
  [[nodiscard]] std::int64_t biases() const override { return outputs_; }
  [[nodiscard]] std::vector<std::int64_t> weight_shape() const override {
    return {features_, outputs_};
  }
  [[nodiscard]] Fans fans() const override { return {features_, outputs_}; }
  [[nodiscard]] BackwardReads reads() const override { return {true, false}; }
  /// The cost with compact parameters if no two values share a feature: rows are counted once for
  /// each value, up to all.
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  /// The number of rows of W in `pass`.
  [[nodiscard]] std::int64_t rows(const LayerPass& pass) const;

  std::int64_t features_;
  int outputs_;
  double entries_;
};

}  // namespace foretrain
