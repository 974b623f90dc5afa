// Convolutional networks by their shape: parameters, work, activations of each layer.
#pragma once

#include "models/shapes/layer_work.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Equal convolutions in a row, or dense layers, which are convolutions of one pixel.
struct ConvolutionShape {
  std::string name;  ///< rows with the same name, one after another, are a layer
  int kernel_height = 1;
  int kernel_width = 1;
  std::int64_t in = 0;   ///< input channels
  std::int64_t out = 0;  ///< output channels
  int side = 1;          ///< pixels of a side of the output
  int count = 1;
  bool norm = true;  ///< batch normalisation follows
  bool bias = false;

  bool operator==(const ConvolutionShape&) const = default;
};

/// Each convolution keeps its output once, and once more if it is normalised.
std::vector<LayerWork> layer_work(const std::vector<ConvolutionShape>& rows,
                                  const WorkOptions& options);

}  // namespace foretrain
