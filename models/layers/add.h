// A residual connection: the output of an earlier layer is added.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x + z, where x is the output of the layer before and z that of an earlier one (He, Zhang,
/// Ren, Sun 2016). If z has more rows and columns, every s-th of them is added; if it has fewer
/// channels, zeros follow them: identity shortcuts of He et al., option A. Programs that put half
/// of the zeros before z's channels train the same network with its channels in another order.
class Add final : public Layer {
 public:
  /// Such a z can be added: rows and columns of `shape` are every s-th of `other`.
  static bool fits(Shape shape, Shape other);

  /// `layer` is the index of the layer in the network whose output has the shape `other`.
  Add(Shape shape, Shape other, int layer);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] int other() const override { return layer_; }
  [[nodiscard]] BackwardReads reads() const override { return {false, false}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  /// Includes the cost of the later `add_gradient`.
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// The gradient by the output, which is also the gradient by z.
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t batch) const override {
    return 4 * batch * shape_.size();
  }
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;
  void add_gradient(const LayerPass& pass, float* gradient) const override;

 private:
  /// Calls work(to, from) with where each pixel of an example's output, and its addend, begin.
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
