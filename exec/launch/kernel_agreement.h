// Agreement of a training's nodes on one set of kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// The kernels of a node.
struct NodeKernels {
  std::string node;                 ///< name in messages
  std::string set;                  ///< kernel set that it was started with
  std::vector<std::string> others;  ///< sets with which it could begin again
};

struct KernelAgreement {
  std::string kernels;  ///< for all nodes
  std::string wrong;    ///< empty if they agree; else the reason, with advice
};

/// Sums differ in their last bits between kernel sets, so all nodes use one: `preferred` if every
/// node has it, else the largest that every node has. There is at least one node.
KernelAgreement agree_on_kernels(std::span<const NodeKernels> nodes, std::string_view preferred);

/// Later attempts use the kernels of the first one, `before`: nodes that stayed have them, and
/// repeated work gives the same bits. Wrong if a node lacks them.
KernelAgreement keep_kernels(std::span<const NodeKernels> nodes, std::string_view before);

}  // namespace foretrain::exec
