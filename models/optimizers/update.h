// Common parts of the rules of optimizers: an update over parallel parts, powers.
#pragma once

#include "models/base/check.h"
#include "models/optimizers/optimizer.h"
#include "models/tensor/array.h"

#include <cstdint>

namespace foretrain {

/// Parameters of one kind (weights, or biases) with gradient and state, all of one length. `after`
/// may be `before`: a rule writes a number after it has read all that depends on it.
struct Update {
  std::int64_t version = 0;  ///< updates before this one
  double rate = 0;           ///< learning_rate x schedule (x biases.rate_factor)
  float decay = 0;           ///< the L2 penalty adds decay x w to the gradient
  ConstArrayMap before;
  ConstArrayMap gradient;
  std::span<float> written;
  std::span<float* const> slots;

  [[nodiscard]] Eigen::Index size() const { return before.size(); }
  [[nodiscard]] ArrayMap after() const { return array(written); }
  [[nodiscard]] ArrayMap state(std::size_t slot) const { return {slots[slot], size()}; }
};

/// base^exponent by squaring, exponent >= 0: only multiplications, because the last bit of the C
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
