// Each channel normalised over the batch.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// y = gamma (x - mean) / sqrt(variance + epsilon) + beta, channel by channel (Ioffe and Szegedy
/// 2015). A training uses the mean and variance over the examples and pixels of the worker's batch,
/// an evaluation the running ones:
///
///     running += momentum (batch's - running)      the variance by n - 1, as in PyTorch
///
/// If a batch has only one number of a channel, y is beta. The parameters are gamma, which starts
/// from 1, then beta. Each worker has its own running statistics; those of the chief are evaluated
/// and saved, as in other frameworks' data parallel training (PyTorch's DistributedDataParallel
/// uses the statistics of rank 0).
///
/// Sums go over the pixels of an example, then over the examples of a part, then over the parts.
class BatchNorm final : public Layer {
 public:
  BatchNorm(Shape shape, double epsilon, double momentum);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] std::int64_t weights() const override { return shape_.channels; }
  [[nodiscard]] std::int64_t biases() const override { return shape_.channels; }
  [[nodiscard]] std::optional<float> weights_start() const override { return 1.0F; }
  [[nodiscard]] std::vector<Statistic> statistics() const override {
    return {{"running_mean", shape_.channels, 0}, {"running_var", shape_.channels, 1}};
  }
  [[nodiscard]] BackwardReads reads() const override { return {true, false}; }
  /// The cost in a training: an evaluation computes no statistics.
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// The batch's mean, then 1 / sqrt(variance + epsilon).
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t /*batch*/) const override {
    return std::int64_t{2} * 4 * shape_.channels;
  }
  [[nodiscard]] std::int64_t scratch_floats(std::int64_t batch, int simd) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  /// Computes two sums of each channel in `sums`: add(first, a, b) adds the terms of the pixel
  /// whose numbers begin at `first`.
  template <class AddTo>
  void sum_pixels(const LayerPass& pass, float* sums, const AddTo& add) const;
  /// Calls work(first) for every pixel of the batch.
  template <class Work>
  void for_each_pixel(const LayerPass& pass, const Work& work) const;
  /// Computes the batch's statistics in `saved` and updates the running ones.
  void take_statistics(const ForwardPass& pass, float* saved) const;

  Shape shape_;
  float epsilon_;
  float momentum_;
};

}  // namespace foretrain
