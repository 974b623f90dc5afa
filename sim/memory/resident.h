// Resident memory of the nodes over virtual time.
#pragma once

#include "models/graph/node_memory.h"
#include "models/protocol/node.h"

#include <vector>

namespace foretrain::sim {

/// The resident memory that the kernel would report for each node's process:
///
///     base of the process (from the machine file) + NodeMemory::resident
///
/// Parameters, state, activations, batches and data are counted exactly; a server's buffers as its
/// program held them in this simulation. Not modelled: pages that the kernel reclaims, gaps in the
/// heap, unflushed rows of a record. So it never falls, and is accurate to a few percent if the
/// training is larger than the program. Source: the program's own allocations; tests compare it
/// with runs.
class ResidentMemory {
 public:
  /// Figures of a node's host for its process.
  struct OfHost {
    Bytes base;
    int simd = 0;  ///< floats per register of its kernels
  };
  /// `hosts`: by node, of those that are simulated.
  ResidentMemory(const Training& training, const DataMemory& data,
                 const std::vector<OfHost>& hosts);

  /// Records that node `id` has evaluated the parameters.
  void evaluated(NodeId id) { nodes_[index_of(id)].has_evaluated = true; }
  /// Present size of the process of node `id`, which runs `program`.
  [[nodiscard]] Bytes of(NodeId id, const Node& program) const;

 private:
  struct Process {
    Bytes base;
    NodeMemory memory;
    bool has_evaluated = false;
  };
  std::vector<Process> nodes_;
};

}  // namespace foretrain::sim
