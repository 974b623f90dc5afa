// The largest number of each window, with an optional rectifier after it.
#pragma once

#include "models/layers/layer.h"

#include <vector>

namespace foretrain {

/// Output pixel (i, j) is the maximum, channel by channel, over the input rows i stride - padding
/// to i stride - padding + size - 1, columns likewise; pixels outside count as minus infinity, and
/// there are floor((rows + 2 padding - size) / stride) + 1 output rows. Windows may overlap. Then
/// max(0, y) if `relu`, equal to a ReLU before the pool: there are fewer numbers here, and no
/// backward pass needs those before the pool.
///
/// The gradient goes to the first of equal maxima, row by row (as in PyTorch). NaN passes through.
class MaxPool final : public Layer {
 public:
  static constexpr int kSizeMax = 16;  ///< a place in the window is saved as a byte
  /// With ReLU one more value of the byte means that the maximum was not above zero.
  static constexpr int kSizeMaxRelu = 15;

  /// `padding` is at most size / 2, so that each window has a pixel.
  MaxPool(Shape input, int size, int stride, int padding, bool relu);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Shape output() const override { return output_; }
  [[nodiscard]] bool by_example() const override { return true; }
  [[nodiscard]] BackwardReads reads() const override { return {false, false}; }
  [[nodiscard]] Cost forward_cost(std::int64_t batch) const override;
  [[nodiscard]] Cost backward_cost(std::int64_t batch, bool input_gradient) const override;
  /// One byte for each output: the place of the maximum in its window, or that no gradient passes.
  [[nodiscard]] std::int64_t saved_bytes(std::int64_t batch) const override {
    return batch * output_.size();
  }
  void forward(const ForwardPass& pass) const override;
  void backward(const BackwardPass& pass) const override;

 private:
  /// Indices [first, last).
  struct Range {
    int first = 0;
    int last = 0;
  };
  /// The pixels of its row or column that an output pixel covers.
  [[nodiscard]] Range seen(int output, int length) const;
  /// The output pixels that cover pixel `input`, for each of `length`.
  [[nodiscard]] std::vector<Range> seeing(int length, int outputs) const;

  [[nodiscard]] int unhurt_columns(int oy) const;

  // Passes of one example, [rows][columns][channels]. `places` is null in an evaluation.
  void forward_one(const float* input, float* output, std::uint8_t* places) const;
  /// One output pixel whose window may extend beyond the image.
  void forward_edge(const float* input, int oy, int ox, float* output, std::uint8_t* places) const;
  void backward_one(const float* output_gradient, const std::uint8_t* places,
                    float* input_gradient) const;
  void backward_tiles(const float* output_gradient, const std::uint8_t* places,
                      float* input_gradient) const;

  Shape input_;
  Shape output_;
  int size_;
  int stride_;
  int padding_;
  bool relu_;
  std::vector<Range> rows_seeing_;     // [input rows]
  std::vector<Range> columns_seeing_;  // [input columns]
};

}  // namespace foretrain
