// A residual connection: the output of an earlier layer is added.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x + z, x being the output of the layer before, z that of an earlier one (He, Zhang, Ren, Sun
/// 2016). Where z has more rows and columns, every s-th of them is added, where it has fewer
/// channels, zeros for those that are missing: identity shortcuts of He et al., option A.
class Add final : public Layer {
 public:
  /// Whether such a z can be added: rows and columns of `shape` are every s-th of `other`.
  static bool fits(Shape shape, Shape other);

  /// `layer`: of the network, whose output has the shape `other`.
  Add(Shape shape, Shape other, int layer);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] int other() const override { return layer_; }
  [[nodiscard]] BackwardReads reads() const override { return {false, false}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  /// With what `add_gradient` takes later.
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// The gradient by the output, which is that by z.
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t batch) const override {
    return 4 * batch * shape_.size();
  }
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;
  void add_gradient(const LayerPass& pass, float* gradient) const override;

 private:
  /// Calls work(to, from) with where each pixel of an example's output begins, and what it adds.
  template <class Work>
  void for_pixels(std::int64_t example, const Work& work) const;
  /// Numbers of an example that are added.
  [[nodiscard]] std::int64_t added() const { return shape_.pixels() * other_.channels; }

  Shape shape_;
  Shape other_;
  int layer_;
  int stride_;
};

}  // namespace foretrain
