// A layer of somebody else's network, of which only times are known.
#pragma once

#include "models/layers/layer.h"

#include <string>

namespace foretrain {

/// A row of a profile: what a layer has, what its passes took.
struct LayerTimes {
  std::string layer;  ///< what people call it
  std::int64_t parameters = 0;
  double forward_s = 0;  ///< of a batch, on the device that was measured
  double backward_s = 0;
  int tensors = 1;  ///< that its parameters lie in, about equal ones

  bool operator==(const LayerTimes&) const = default;
};

/// Costs time and nothing countable, in proportion to the batch:
///
///     pass(batch) = measured pass x batch / measured batch
///
/// Realism: that of the measurement. A device that a small batch leaves idle takes more per example
/// there, so forecast at the batch that was measured, or near it. What it makes is not known, so
/// its output has the size 0; it cannot be carried out.
class ProfiledLayer final : public Layer {
 public:
  /// `batch`: examples that `times` are of, at least 1.
  ProfiledLayer(LayerTimes times, int batch);

  [[nodiscard]] std::string name() const override { return times_.layer; }
  [[nodiscard]] Shape output() const override { return {0, 0, 0}; }
  [[nodiscard]] std::int64_t weights() const override { return times_.parameters; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  [[nodiscard]] Cost scaled(double measured_s, std::int64_t batch) const;

  LayerTimes times_;
  int batch_;
};

}  // namespace foretrain
