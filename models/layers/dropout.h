// Dropout: units that are set to zero at random in a training.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = x / (1 - rate) with probability 1 - rate, else 0, unit by unit (inverted dropout; Srivastava
/// et al. 2014, section 10). In an evaluation it is the identity.
///
/// Units are drawn in order, two for each draw of `pass.dropout`, so the result does not depend on
/// threads; a probability is a multiple of 2^-32.
class Dropout final : public Layer {
 public:
  /// `rate`: share of the units that are dropped, 0 <= rate < 1.
  Dropout(Shape shape, double rate);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] BackwardReads reads() const override { return {false, false}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// One byte for each unit: 1 if it stays.
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t batch) const override {
    return batch * shape_.size();
  }
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  Shape shape_;
  double rate_;
  float scale_;              // factor of a unit that stays
  std::uint32_t threshold_;  // a draw of 32 bits below it drops the unit
};

}  // namespace foretrain
