#include "models/base/quantity.h"

#include "models/base/check.h"

#include <cmath>

namespace foretrain {

Duration transfer_time(Bytes size, BytesPerSecond rate) {
  FT_CHECK_OP(rate.value, >, 0.0);
  // long double has 64 bits of mantissa: bytes times 1e9 stays exact up to 9 GB.
  const long double ns = static_cast<long double>(size.value) * 1e9L / rate.value;
  return {static_cast<std::int64_t>(std::ceil(ns))};
}

}  // namespace foretrain
