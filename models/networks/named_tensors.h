// The parameters of a network as named tensors for other programs.
#pragma once

#include "models/networks/network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// The place of a tensor in the parameters, or statistics: floats, row after row, the last
/// dimension innermost.
struct NamedTensor {
  std::string name;                 ///< `dense1.weight`, `conv2.bias`: the layer's kind, numbered
  std::vector<std::int64_t> shape;  ///< as in the layer's header: dense [inputs][outputs]
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// All tensors in the order of the parameters.
std::vector<NamedTensor> named_tensors(const Network& network);

/// All statistics in order (Network::statistics): `batch_norm1.running_mean`.
std::vector<NamedTensor> named_statistics(const Network& network);

/// `[784][10]`
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace foretrain
