// The vocabulary of profilers, for any vendor's devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

enum class TraceKind : std::uint8_t {
  op,      ///< an operator or a program's mark, on a thread of the host
  launch,  ///< the host launches work on the device
  device   ///< a kernel, a copy, a fill
};

/// The kind of a category: `cpu_op`, `xpu_runtime`, `kernel`; empty if it is none of them.
std::optional<TraceKind> kind_of(std::string_view category);

enum class TraceCollective : std::uint8_t { none, other, all_reduce, reduce_scatter };

/// The collective in an argument `Collective name` or in the name of an operator or a kernel:
/// `allreduce`, `_reduce_scatter_base`, `ncclDevKernel_AllReduce_Sum_f32`. Never none.
TraceCollective collective_called(std::string_view name);

/// Whether a kernel with this name belongs to a library of collectives: NCCL, RCCL, oneCCL, HCCL,
/// ...
bool is_collective_kernel(std::string_view kernel);
/// Whether an operator with this name requests a collective.
bool is_collective_op(std::string_view op);

/// Whether a launch with this name launches a whole graph: `cudaGraphLaunch`, `hipGraphLaunch`.
bool is_graph_launch(std::string_view launch);

/// The number after the word rank; -1 if there is none.
int rank_in(std::string_view text);

/// The name in lower case without underscores.
std::string plain(std::string_view name);

}  // namespace foretrain
