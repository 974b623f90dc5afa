// An image read as a plain vector.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// The numbers stay in place, [rows][columns][channels]: only the shape changes. A network leaves
/// the layer out and only changes the shape; if it is run, it copies.
class Flatten final : public Layer {
 public:
  explicit Flatten(Shape input) : size_(input.size()) {}

  [[nodiscard]] std::string name() const override { return "flatten"; }
  [[nodiscard]] Shape output() const override { return {1, 1, static_cast<int>(size_)}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  std::int64_t size_;
};

}  // namespace foretrain
