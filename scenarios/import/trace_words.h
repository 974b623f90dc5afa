// What profilers call things, whoever's device it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

enum class TraceKind : std::uint8_t {
  op,      ///< an operator or what a program marked, on a thread of the host
  launch,  ///< the host hands the device something to do
  device   ///< a kernel, a copy, a fill
};

/// `cpu_op`, `xpu_runtime`, `kernel`; empty: none of them.
std::optional<TraceKind> kind_of(std::string_view category);

enum class TraceCollective : std::uint8_t { none, other, all_reduce, reduce_scatter };

/// Of the argument `Collective name`, of what an operator or a kernel is called: `allreduce`,
/// `_reduce_scatter_base`, `ncclDevKernel_AllReduce_Sum_f32`. Never none.
TraceCollective collective_called(std::string_view name);

/// Whether a kernel called so is one of a library of collectives: NCCL, RCCL, oneCCL, HCCL, ...
bool is_collective_kernel(std::string_view kernel);
/// Whether an operator called so asks for a collective.
bool is_collective_op(std::string_view op);

/// Whether a launch called so is one of a whole graph: `cudaGraphLaunch`, `hipGraphLaunch`.
bool is_graph_launch(std::string_view launch);

/// The number behind the word rank; -1: there is none.
int rank_in(std::string_view text);

/// Without underscores, in small letters.
std::string plain(std::string_view name);

}  // namespace foretrain
