// With which kernels the nodes of a training compute.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// What a node says of its kernels.
struct NodeKernels {
  std::string node;                 ///< as people know it
  std::string set;                  ///< that it was started with
  std::vector<std::string> others;  ///< with which it could begin again
};

struct KernelAgreement {
  std::string kernels;  ///< of all nodes
  std::string wrong;    ///< empty: they agree; else why not, and what to do
};

/// Sums differ in their last bits between sets, so all nodes take one: `preferred` where each has
/// it, else the largest that each has. There is a node.
KernelAgreement agree_on_kernels(std::span<const NodeKernels> nodes, std::string_view preferred);

/// All of a later attempt keep what they agreed on in the first one, `before`: who stayed has it,
/// and what they do again has the same bits. Else it is wrong.
KernelAgreement keep_kernels(std::span<const NodeKernels> nodes, std::string_view before);

}  // namespace foretrain::exec
