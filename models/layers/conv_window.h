// The products of a convolution, over padded images.
#pragma once

#include "models/layers/conv2d.h"
#include "models/tensor/shape.h"
#include "models/tensor/tile.h"

#include <cstddef>
#include <cstdint>

namespace foretrain {

/// The movement of a window over a padded image. A window is `size` runs of run() consecutive
/// numbers, so windows are not copied ("im2col"): tiles read the image.
struct ConvWindow {
  int channels = 1;  ///< of the image
  int size = 1;
  int stride = 1;
  int rows = 1;     ///< of the padded image
  int columns = 1;  ///< of the padded image
  int out_rows = 1;
  int out_columns = 1;
  int beside = 1;  ///< output pixels of a row that are computed as one, see beside_window

  [[nodiscard]] int run() const { return (size + (beside - 1) * stride) * channels; }
  /// Floats from a window to the next one in the row.
  [[nodiscard]] int step() const { return beside * stride * channels; }
  [[nodiscard]] int depth() const { return size * run(); }
  [[nodiscard]] std::ptrdiff_t row_floats() const {
    return static_cast<std::ptrdiff_t>(columns) * channels;
  }
  [[nodiscard]] std::ptrdiff_t image_floats() const { return rows * row_floats(); }
  [[nodiscard]] int out_pixels() const { return out_rows * out_columns; }
};

/// The window of a layer over its padded input.
ConvWindow conv_window(Shape input, Shape output, const ConvShape& shape);
/// The window whose correlation with padded output gradients is the input gradient: stride 1,
/// padding < size.
ConvWindow full_window(Shape input, Shape output, const ConvShape& shape);

/// The same window, if `lanes` output channels leave at least half of a vector empty: adjacent
/// output pixels of a row are computed as one with all their channels, over a window as wide as
/// theirs together. The weights of each pixel are zero outside its own window, so each adds up the
/// same numbers in the same order, and zeros (an infinite or NaN input shows in all of them). With
/// 5 x 5 pixels and 6 channels, two pixels as one save two of five multiplications. `beside` is the
/// number that saves most; 1 if none does, if columns do not divide or would be too few. `simd`:
/// floats of a vector.
ConvWindow beside_window(const ConvWindow& window, int lanes, int simd = Simd::kCount);

/// Copies an image into the middle of zeros. dst: [rows + 2 padding][columns + 2 padding][channels]
void pad_image(const float* image, Shape shape, int padding, float* dst);

/// Weights in the format of `correlate`: [panel][depth][lanes of the panel], `lanes` output
/// channels of a pixel. Biases: whole vectors.
void pack_weights(const float* weights, const ConvWindow& window, int lanes, float* panels);
void pack_biases(const float* biases, const ConvWindow& window, int lanes, float* bias);
/// The weights of the full window: flipped in both directions, input and output channels exchanged.
void pack_flipped_weights(const float* weights, const ConvWindow& full, int lanes, float* panels);

/// Padded images one after another.
struct ConvImages {
  const float* first = nullptr;
  std::ptrdiff_t step = 0;  ///< floats from one image to the next
  int count = 0;
};

/// output[image][oy][ox][lane] = bias[lane] + sum over the window of image x weights, then max(0,
/// output) if `relu`. `lanes` are those of a pixel; bias: packed, or null.
void correlate(const ConvWindow& window, const ConvImages& images, const float* panels, int lanes,
               const float* bias, bool relu, float* output);

/// The number of tiles of weight rows in `correlate_weights`, the same for any batch.
int weight_units(const ConvWindow& window, int lanes);
/// gradient[row of one pixel's window][lane] (+)= sum over images and pixels of image x output
/// gradient, for the rows of the units [first, last). gradients: as ConvGradient's panels, with
/// `beside` pixels as one. Images are added up one by one.
void correlate_weights(const ConvWindow& window, const ConvImages& images,
                       const ConvImages& gradients, int lanes, int first, int last, bool add,
                       float* gradient);

/// Output gradients in the format of the products of a backward pass.
struct ConvGradient {
  const float* output = nullptr;  ///< null: no ReLU
  const float* gradient = nullptr;
  float* panels = nullptr;  ///< [panel][pixel][lanes of the panel]
  /// The gradient is also copied here, `copy_row` floats from row to row; null: no copy.
  float* copy = nullptr;
  std::ptrdiff_t copy_row = 0;
  float* bias = nullptr;  ///< its sum over pixels: whole vectors
};
/// Sets the gradient to zero where the output is not above zero, for one image.
void gate_image(const ConvGradient& at, Shape output);

}  // namespace foretrain
