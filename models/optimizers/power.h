// Whole powers that are the same bits everywhere.
#pragma once

#include "models/base/check.h"

#include <cstdint>

namespace foretrain {

/// base^exponent by squaring, exponent >= 0: multiplications alone, where the last bit of the C
/// library's pow differs between versions. Its error is about `exponent` x 2^-53, relative.
inline double whole_power(double base, std::int64_t exponent) {
  FT_CHECK_OP(exponent, >=, 0);
  double result = 1;
  for (double square = base; exponent > 0; exponent /= 2, square *= square) {
    if (exponent % 2 == 1) result *= square;
  }
  return result;
}

}  // namespace foretrain
