#include "exec/system/reference_loops.h"

#include <array>

namespace foretrain::exec {
namespace {

void multiply(const float* a, const float* b, float* c) {
  constexpr std::size_t kSide = kReferenceSide;
  for (std::size_t row = 0; row < kSide; ++row) {
    std::array<float, kSide> sums{};
    for (std::size_t k = 0; k < kSide; ++k) {
      const float factor = a[row * kSide + k];
      for (std::size_t column = 0; column < kSide; ++column) {
        sums[column] += factor * b[k * kSide + column];
      }
    }
    for (std::size_t column = 0; column < kSide; ++column) c[row * kSide + column] = sums[column];
  }
}

void add_scaled(float factor, const float* x, float* y) {
  for (std::size_t i = 0; i < kReferenceVector; ++i) y[i] += factor * x[i];
}

}  // namespace

void run_reference_piece(const ReferenceOperands& operands) {
  for (std::size_t i = 0; i < 4; ++i) {
    multiply(operands.a, operands.b, operands.c);
    operands.a[i] = operands.c[0] * 1e-3F;  // prevents the compiler from omitting any of them
  }
  for (int i = 0; i < 8; ++i) add_scaled(1e-3F, operands.x, operands.y);
}

}  // namespace foretrain::exec
