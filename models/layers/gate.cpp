#include "models/layers/gate.h"

#include "models/tensor/simd.h"

#include <algorithm>

namespace foretrain {

void gate_gradient(const float* output, std::int64_t rows, int channels, float* gradient,
                   float* bias_gradient) {
  for (int c = 0; c < channels; c += Simd::kCount) {
    const int lanes = std::min(Simd::kCount, channels - c);
    Simd sum = Simd::zero();
    for (std::int64_t r = 0; r < rows; ++r) {
      float* at = gradient + r * channels + c;
      Simd x = Simd::load_some(at, lanes);
      if (output != nullptr) {
        x = Simd::gated(x, Simd::load_some(output + r * channels + c, lanes));
        x.store_some(at, lanes);
      }
      sum = Simd::add(sum, x);
    }
    sum.store_some(bias_gradient + c, lanes);
  }
}

}  // namespace foretrain
