// Matrix products of our layers, compared with Eigen's.
#pragma once

#include "tests/bench/common/bench_report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Measures GFLOP/s of each shape of dense layer and convolution in the small networks, with
/// batches of 64 on one thread, ours and Eigen's in alternation, to show where our own kernels pay
/// off. Ours include bias, ReLU and its gradient; Eigen's get the ReLU's gradient for free. Eigen's
/// convolution copies the windows of an image ("im2col"), then multiplies. `--smoke`: one round
/// each.
void products(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
