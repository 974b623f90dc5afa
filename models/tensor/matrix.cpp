#include "models/tensor/matrix.h"

namespace foretrain {

void pin_product_blocking() {
  // A function-local static: set once, before the first product of the process.
  static const bool pinned = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 1024 * 1024, 8 * 1024 * 1024);
    return true;
  }();
  (void)pinned;
}

}  // namespace foretrain
