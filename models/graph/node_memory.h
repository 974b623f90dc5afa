// The memory that each node of a training takes, counted.
#pragma once

#include "models/base/quantity.h"
#include "models/networks/registry.h"
#include "models/protocol/training.h"

#include <cstdint>

namespace foretrain {

/// What the process of a node holds beside the program itself. A run and its forecast count alike.
///
///     resident = data + max(drawing, learned + max(set_up, step + evaluation + message + held))
///
/// Memory that a process frees stays its own and is used again, so what is resident is the most
/// that was held: it never falls. `held` is what others have sent (Buffering::peak_buffered), which
/// depends on when they did. What waits in sockets is the kernel's, and in nobody's resident
/// memory.
///
/// Of a worker that has parameters or gradients in parts (gathers.h): its own, and those of two
/// stages, of which one is computed, one is gathered ahead, or still summed up.
struct NodeMemory {
  Bytes data;        ///< a worker's: the examples, the order in which it takes its own
  Bytes drawing;     ///< a worker's: what drawing the examples took, let go before the rest
  Bytes learned;     ///< parameters, with the optimizer's state; a server's: of its shard
  Bytes set_up;      ///< let go before the training: the parameters that a shard is cut from
  Bytes step;        ///< a worker's: gradient, activations, scratch, batches
  Bytes evaluation;  ///< the chief's, from its first evaluation on: what that takes besides
  Bytes message;     ///< the largest, while it comes

  [[nodiscard]] Bytes resident(bool has_evaluated, Bytes held) const;
};

/// What the data set takes in the process of each worker.
struct DataMemory {
  Bytes examples;                   ///< all of them, whether they are used or not
  std::int64_t train_examples = 0;  ///< dealt to all workers
  bool prefetched = false;          ///< the next batch is gathered beside this one's gradient
  Bytes share_example{};            ///< above 0: a worker has its own share alone, so much of each
  Bytes drawing{};                  ///< held beside the examples while they are drawn
};

/// `simd`: floats of a register of the kernels of its host.
NodeMemory node_memory(const Training& training, const DataMemory& data, NodeId id,
                       int simd = register_floats(kernel_set()));

/// No node holds more of what others have sent, where all go on at the same pace: a server that
/// learns synchronously has the gradient of each worker, another one at a time.
Bytes expected_held(const Training& training, NodeId id);

}  // namespace foretrain
