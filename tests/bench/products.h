// The products of our networks' layers beside Eigen's.
#pragma once

#include "tests/bench/common/report.h"

#include <string>
#include <vector>

namespace foretrain::bench {

/// Reports GFLOP/s of each shape of dense layer or convolution in the small networks, at batches of
/// 64 on one thread, ours and by Eigen's products in alternation: where a kernel of our own earns
/// its lines. Ours include bias, ReLU, its gate; Eigen's have the gate for nothing. A convolution
/// by Eigen copies the windows of an image ("im2col"), then multiplies. `--smoke`: one round each.
void products(const std::vector<std::string>& arguments, Report& report);

}  // namespace foretrain::bench
