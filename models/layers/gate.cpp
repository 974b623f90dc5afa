#include "models/layers/gate.h"

#include "models/tensor/array.h"

namespace foretrain {

void gate_gradient(const float* output, std::int64_t rows, int channels, float* gradient,
                   float* bias_gradient) {
  ArrayMap sum(bias_gradient, channels);
  sum.setZero();
  for (std::int64_t r = 0; r < rows; ++r) {
    ArrayMap row(gradient + r * channels, channels);
    if (output != nullptr) row = gated(row, ConstArrayMap(output + r * channels, channels));
    sum += row;
  }
}

}  // namespace foretrain
