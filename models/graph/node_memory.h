// The memory that each node of a training takes, counted.
#pragma once

#include "models/base/quantity.h"
#include "models/networks/registry.h"
#include "models/protocol/training.h"

#include <cstdint>

namespace foretrain {

/// The memory of a node's process without the program itself. A run and its forecast count alike.
///
///     resident = data + max(drawing, learned + max(set_up, step + evaluation + message + held))
///
/// Memory that a process frees stays with the process and is used again, so the resident size is
/// the largest size ever held: it never falls. `held` are received bytes
/// (Buffering::peak_buffered), which depend on timing. Data in socket buffers belongs to the
/// kernel, and not to the resident memory of any process.
///
/// A worker with parameters or gradients in parts (gathers.h) holds its own part and those of two
/// stages: one is being computed, one is gathered ahead, or still being summed.
struct NodeMemory {
  Bytes data;        ///< a worker's: the examples, and its order of them
  Bytes drawing;     ///< a worker's: to draw the examples, freed before the rest is allocated
  Bytes learned;     ///< parameters and optimizer's state; a server's: of its shard
  Bytes set_up;      ///< freed before the training: the parameters from which a shard is cut
  Bytes step;        ///< a worker's: gradient, activations, scratch, batches
  Bytes evaluation;  ///< the chief's, from its first evaluation on: additional memory
  Bytes message;     ///< the largest message, while it is received

  [[nodiscard]] Bytes resident(bool has_evaluated, Bytes held) const;
};

/// The memory of the data set in the process of each worker.
struct DataMemory {
  Bytes examples;                   ///< all of them, used or not
  std::int64_t train_examples = 0;  ///< shared by all workers
  bool prefetched = false;          ///< the next batch is gathered during this one's gradient
  Bytes share_example{};            ///< of an example if a worker has only its share; else 0
  Bytes drawing{};                  ///< held in addition while examples are drawn
};

/// `simd`: floats in a register of the kernels of its host.
NodeMemory node_memory(const Training& training, const DataMemory& data, NodeId id,
                       int simd = register_floats(kernel_set()));

/// Bytes of the parameters and gradients that a worker holds.
struct WorkerShare {
  Bytes parameters;
  Bytes gradients;
  double updated = 1;  ///< share of the parameters that it updates
};
WorkerShare worker_share(const Training& training, NodeId id);

/// The most received bytes that a node holds if all nodes have the same speed: a synchronous server
/// has the gradient of each worker, another server one at a time.
Bytes expected_held(const Training& training, NodeId id);

}  // namespace foretrain
