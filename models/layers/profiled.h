// A layer of which only measured times are known.
#pragma once

#include "models/layers/layer.h"

#include <string>

namespace foretrain {

/// A row of a profile: a layer's parameters and the times of its passes.
struct LayerTimes {
  std::string layer;  ///< name for users
  std::int64_t parameters = 0;
  double forward_s = 0;  ///< time for a batch, on the measured device
  double backward_s = 0;
  int tensors = 1;      ///< tensors of its parameters, of about equal size
  double update_s = 0;  ///< time of the optimizer for its parameters
  /// Times of a second batch, if the profile has one.
  double forward_second_s = 0;
  double backward_second_s = 0;

  bool operator==(const LayerTimes&) const = default;
};

/// Costs time and nothing countable: on the line through the times of two measured batches, or in
/// proportion to one (the second then takes no time, for no example).
///
///     pass(batch) = second + (measured - second) x (batch - second batch)
///                                                / (measured batch - second batch)
///
/// Realism: that of the measurement. A device that a small batch does not fill takes more time for
/// each example there, so measure two, or forecast near the one. The output is unknown, so its size
/// is 0; the layer cannot be run.
class ProfiledLayer final : public Layer {
 public:
  /// `batch`: number of examples that `times` refer to, at least 1; `second_batch`: those of the
  /// second batch, another number; 0: none.
  ProfiledLayer(LayerTimes times, int batch, int second_batch = 0);

  [[nodiscard]] std::string name() const override { return times_.layer; }
  [[nodiscard]] Shape output() const override { return {0, 0, 0}; }
  [[nodiscard]] std::int64_t weights() const override { return times_.parameters; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  [[nodiscard]] Cost scaled(double measured_s, double second_s, std::int64_t batch) const;

  LayerTimes times_;
  int batch_;
  int second_batch_;
};

}  // namespace foretrain
