// A layer that looks up a vector for each field of a sparse example.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x_1 W[f_1], x_2 W[f_2], ... concatenated, with (f_k, x_k): feature and value of the
/// example's k-th field, W: [features][units]. So each field has its own place in the output,
/// whereas `sparse_dense` adds the rows up (the first layer of Cheng et al. 2016, "Wide & Deep
/// Learning", sec. 3.2; `torch.nn.Embedding` of all fields, flattened). Its parameters are W by
/// rows. It is the first layer, so it computes no gradient by x.
///
/// In compact form W has only the rows of the batch's distinct features, and the numbers have the
/// same bits. Gradients are summed in the order of examples, then of fields.
class Embedding final : public Layer {
 public:
  /// `fields`: entries of every example.
  Embedding(std::int64_t features, int fields, int units);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return {1, 1, fields_ * units_}; }
  [[nodiscard]] std::int64_t weights() const override { return features_ * units_; }
  [[nodiscard]] std::vector<std::int64_t> weight_shape() const override {
    return {features_, units_};
  }
  /// Both are the units of a vector, however many vectors there are: with `he` a vector's expected
  /// square is 2 whatever its width.
  [[nodiscard]] Fans fans() const override { return {units_, units_}; }
  [[nodiscard]] BackwardReads reads() const override { return {true, false}; }
  /// The cost with compact parameters if no two entries share a feature: rows are counted once for
  /// each entry, up to all.
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  void check_rows(const LayerPass& pass) const;

  std::int64_t features_;
  int fields_;
  int units_;
};

}  // namespace foretrain
