// A node's life as a process, or as a part of one.
#pragma once

#include "exec/launch/joining.h"

#include <string>

namespace foretrain::exec {

struct NodeEnded {
  int status = 0;  ///< that its process is to exit with
  bool trained = false;
  /// With which this process is to begin again (kernel_program.h); empty: it is not.
  std::string kernels{};
};

/// Joins a training, once more as often as it is told to, is a node of it until that ends. Nothing
/// that it has opened is left.
NodeEnded node_until_told(const Joining& joining);

}  // namespace foretrain::exec
