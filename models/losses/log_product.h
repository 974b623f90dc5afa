// The logarithm of a long product.
#pragma once

#include "models/base/random.h"

#include <limits>

namespace foretrain {

/// sum of log(x_i) = log(product of x_i): one logarithm for hundreds of factors, at almost no cost
/// to a loss. Each product is rounded relatively to 2^-53, as a sum of logarithms would be.
class LogProduct {
 public:
  /// x is at least 1 and below 2^64. Infinity or NaN makes the result NaN.
  void multiply(double x) {
    product_ *= x;
    if (!(product_ < 0x1p900)) take();
  }
  [[nodiscard]] double log() {
    take();
    return sum_;
  }

 private:
  void take() {
    const bool finite = product_ <= std::numeric_limits<double>::max();
    sum_ += finite ? portable_log(product_) : std::numeric_limits<double>::quiet_NaN();
    product_ = 1;
  }

  double sum_ = 0;
  double product_ = 1;
};

}  // namespace foretrain
