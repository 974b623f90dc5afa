// The parameters of a network as tensors that other programs know by name.
#pragma once

#include "models/networks/network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Where a tensor lies among the parameters, or statistics: float, row after row, the last
/// dimension innermost.
struct NamedTensor {
  std::string name;                 ///< `dense1.weight`, `conv2.bias`: the layer's kind, counted
  std::vector<std::int64_t> shape;  ///< as the layer's header says: dense [inputs][outputs]
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// In the order of the parameters, all of them.
std::vector<NamedTensor> named_tensors(const Network& network);

/// What a training keeps beside them (Network::statistics), all of it in order:
/// `batch_norm1.running_mean`.
std::vector<NamedTensor> named_statistics(const Network& network);

/// `[784][10]`
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace foretrain
