// Local response normalisation: each number divided by a power of the energy of adjacent channels.
#pragma once

#include "models/layers/layer.h"

namespace foretrain {

/// Normalises across the channels of a pixel (Krizhevsky et al. 2012, section 3.3; alpha is divided
/// by the size, as in PyTorch):
///
///     y[c] = x[c] / s[c]^beta,  s[c] = k + alpha / size * sum of x[j]^2, j = c - size / 2 to
///                                      c + (size - 1) / 2 within the channels
///     dx[c] = dy[c] / s[c]^beta - 2 alpha beta / size * x[c] * sum of dy[j] y[j] / s[j] over the j
///             whose sum has c in it
///
/// beta 0.75 or 0.5 takes square roots; any other one logarithm a number, 50 times as slow.
class LocalResponseNorm final : public Layer {
 public:
  /// k > 0: a pixel that is zero in all channels stays zero.
  LocalResponseNorm(Shape shape, int size, double alpha, double beta, double k);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return shape_; }
  [[nodiscard]] bool by_example() const override { return true; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// The values of s.
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t batch) const override {
    return batch * shape_.size() * 4;
  }
  /// The terms of the sums of a few pixels, for each part.
  [[nodiscard]] std::int64_t scratch_floats(std::int64_t batch, int simd) const override;
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  /// Pixels [first, last) of the batch. `scale` are the values of s; null in an evaluation.
  void forward_pixels(const ForwardPass& pass, std::int64_t first, std::int64_t last, float* terms,
                      float* scale) const;
  void backward_pixels(const BackwardPass& pass, std::int64_t first, std::int64_t last,
                       float* terms) const;
  /// The numbers of a pixel in the scratch buffer: zeros, its terms, zeros.
  [[nodiscard]] std::int64_t pitch() const;
  [[nodiscard]] std::int64_t scratch_of_part() const;

  Shape shape_;
  int size_;
  double alpha_;
  double beta_;
  double k_;
};

}  // namespace foretrain
