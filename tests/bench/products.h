// The product of the kernels beside Eigen's.
#pragma once

namespace foretrain::bench {

/// Prints GFLOP/s of `multiply` and of Eigen's product, in alternation, on one thread, for matrices
/// in the sizes of dense layers: why the kernels are our own. `smoke`: one small product.
void products(bool smoke);

}  // namespace foretrain::bench
