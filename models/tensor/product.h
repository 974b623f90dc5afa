// Products of matrices of the sizes in dense layers.
#pragma once

#include "models/base/parallel.h"
#include "models/tensor/simd.h"

#include <cstddef>

namespace foretrain {

/// c[r][l] = bias[l] + sum over d of a[r][d] b[d][l], in the order of d within blocks of fixed
/// size; then max(0, c) if `relu`. Steps count floats from one row to the next.
struct Product {
  int rows = 0;   ///< examples
  int depth = 0;  ///< length of the sum
  int lanes = 0;
  const float* a = nullptr;
  std::ptrdiff_t a_step = 0;
  const float* b = nullptr;
  std::ptrdiff_t b_step = 0;
  bool b_transposed = false;  ///< b[d][l] lies at b + l b_step + d
  float* c = nullptr;
  std::ptrdiff_t c_step = 0;
  const float* bias = nullptr;  ///< [lanes]; null: zero
  bool relu = false;
};

/// For kernels whose registers hold `simd` floats.
std::size_t multiply_scratch(const Product& product, int simd = Simd::kCount);
/// `scratch`: [multiply_scratch(product)].
void multiply(const Product& product, Parallel& parallel, float* scratch);

/// c[d][l] = sum over r of a[r][d] b[r][l]: the gradient of weights over a batch of `rows`.
struct OuterProduct {
  int rows = 0;
  int depth = 0;  ///< rows of c
  int lanes = 0;
  const float* a = nullptr;  ///< [rows][depth]
  const float* b = nullptr;  ///< [rows][lanes]
  float* c = nullptr;        ///< [depth][lanes]
};

std::size_t multiply_outer_scratch(const OuterProduct& product, int simd = Simd::kCount);
/// `scratch`: [multiply_outer_scratch(product)].
void multiply_outer(const OuterProduct& product, Parallel& parallel, float* scratch);

}  // namespace foretrain
