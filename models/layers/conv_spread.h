// The input gradient of a convolution as a product with overlapping results that are added up.
#pragma once

#include "models/layers/conv_window.h"

namespace foretrain {

/// An alternative to `correlate` over the full window: for any stride, or if the input has so few
/// channels that they would leave most of a vector empty. For one row of output pixels after the
/// other,
///
///     spread[ox][ky][kx][i] = sum over o of dy[oy][ox][o] W[ky][kx][i][o]
///     dx[oy s + ky][x][i] += sum over kx of spread[(x - kx) / s][ky][kx][i]
///
/// for s that divide x - kx.

/// Weights in the format of `spread_gradient`: [ky][panel][output channel][lanes of the panel].
std::size_t spread_weights_floats(const ConvWindow& window, int channels, int simd = Simd::kCount);
void pack_spread_weights(const float* weights, const ConvWindow& window, int channels,
                         float* panels);

/// Scratch of `spread_gradient`, with vectors of `simd` floats.
std::size_t spread_floats(const ConvWindow& window, int simd = Simd::kCount);
/// One image. gradient: [output pixel][channels], input_gradient: [input], without padding.
void spread_gradient(const ConvWindow& window, const float* gradient, int channels,
                     const float* panels, Shape input, float* scratch, float* input_gradient);

}  // namespace foretrain
