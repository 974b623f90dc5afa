// Resident memory of the nodes against virtual time.
#pragma once

#include "models/graph/node_memory.h"
#include "models/protocol/node.h"

#include <vector>

namespace foretrain::sim {

/// What the kernel would call resident of each node's process:
///
///     base of the process (the machine file says it) + NodeMemory::resident
///
/// Parameters, state, activations, batches, data are counted exactly; what a server gathers is what
/// its program held in this simulation. Not modelled: pages that the kernel takes back, a heap
/// without room between its blocks, rows of a record that wait to be flushed. So it never falls,
/// and is right to some percent where the training is larger than the program. Source: the
/// program's own allocations; tests hold it against runs.
class ResidentMemory {
 public:
  /// What a node's host says of its process.
  struct OfHost {
    Bytes base;
    int simd = 0;  ///< floats of a register of its kernels
  };
  /// `hosts`: by node.
  ResidentMemory(const Training& training, const DataMemory& data,
                 const std::vector<OfHost>& hosts);

  /// Node `id` has evaluated the parameters.
  void evaluated(NodeId id) { nodes_[index_of(id)].has_evaluated = true; }
  /// Of the process of `program`, which is node `id`'s, by now.
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
