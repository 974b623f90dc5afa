// The gradient of a fused ReLU with that of the bias under it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretrain {

/// gradient[r][c] = 0 where output[r][c] <= 0 (`output` null: nowhere), for r < rows, and
/// bias_gradient[c] = sum over r of gradient[r][c] in order. Both are [rows][channels].
void gate_gradient(const float* output, std::int64_t rows, int channels, float* gradient,
                   float* bias_gradient);

}  // namespace foretrain
