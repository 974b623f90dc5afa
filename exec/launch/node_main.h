// A node's life as a process, or as a part of one.
#pragma once

#include "exec/launch/joining.h"

#include <string>

namespace foretrain::exec {

struct NodeEnded {
  int status = 0;  ///< that its process is to exit with
  bool trained = false;
  bool again = false;  ///< it is to join once more
  /// With which this process is to begin again (kernel_program.h); empty: it is not.
  std::string kernels{};
};

/// Joins one training, is a node of it until that ends. Nothing that it has opened is left.
NodeEnded node_of(const Joining& joining);

}  // namespace foretrain::exec
