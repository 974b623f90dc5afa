// The memory that the work of a node touches, in order, for the cache model of its host.
#pragma once

#include "models/cost/caches.h"
#include "models/graph/step_memory.h"
#include "models/protocol/job.h"
#include "models/protocol/message.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// The memory of one node, in pieces. Each kind of work touches its pieces in the host's cache
/// model, which returns the misses. Work that uses the same memory touches the same piece:
/// gradients that the backward pass wrote may still be cached when the update reads them.
///
///     gradient   examples from the worker's share of the data set, batch, parameters; then
///                layer by layer the input, scratch, the output, saved values; then backward: the
///                gradient by the output, the forward values that it reads, the gradient by the
///                input; then parameters (if more than one layer has any), the addend of a batch
///                that is added to others, gradients
///     apply      the addends (the node's own gradients, received ones), parameters, state
///     reduce     the addends
///     evaluate   parameters, data of its examples
///     message    the buffer that it is put into, the same as for the message before it
///     sent       the kernel's pages that it is copied to, the same as in the step before
///
/// A sparse batch touches a cache line, 64 bytes, for each of its parameters. They are modelled as
/// one piece of as many bytes, at most all parameters.
///
/// Realism: buckets, not layers, are the pieces of parameters; of more than 32 buckets several are
/// one piece. Scratch that a layer passes several times counts once.
class WorkingSet {
 public:
  /// The time of a computation.
  struct Span {
    Instant begin;
    Duration takes;
  };
  /// The working set of node `id`; `simd`: floats in a register of its host's kernels.
  WorkingSet(std::shared_ptr<const Training> training, NodeId id,
             int simd = register_floats(kernel_set()));

  /// The whole gradient of a batch is computed on `core` during `span`. `adds`: it is added to
  /// the sum of other batches.
  CacheMisses gradient(Caches& caches, int core, const Span& span, bool adds = false);
  /// Any other job is computed on `core`.
  CacheMisses job(Caches& caches, int core, const Job& job);
  /// A message is put where the program can read it. `addend`: true for a gradient, which a later
  /// job adds up; false for parameter values.
  CacheMisses message(Caches& caches, int core, NodeId from, const Message& message, bool addend);

  /// A message to `to` is copied into the kernel.
  CacheMisses sent(Caches& caches, int core, NodeId to, const Message& message);

  /// All bytes that a gradient touches, each once.
  [[nodiscard]] Bytes of_gradient() const;

 private:
  enum class Kind : std::uint8_t {
    parameters,
    state,
    gradients,
    output,
    output_gradient,
    saved,
    scratch,
    batch,
    evaluation,
    addend,
    examples
  };

  /// Passes all layers forward, then backward.
  CacheMisses pass_layers(Caches& caches, int core, const Span& span) const;
  /// Touches a worker's own gradients, to which a received sum is added.
  CacheMisses sums(Caches& caches, int core, const Job& job) const;
  [[nodiscard]] Touched piece(Kind kind, Bytes size, std::uint32_t group = 0) const;
  /// Consecutive buckets of one group are counted together.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t bucket) const;
  /// Bytes of parameters that work on a whole bucket touches; `touched`: how many, if sparse.
  [[nodiscard]] Bytes parameters_of(std::uint32_t bucket, std::int64_t touched) const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::vector<Bytes> groups_;  // by group: parameters that a gradient touches
  std::vector<LayerMemory> layers_;
  Bytes activations_;  // of all layers, each byte once
  Bytes batch_;
  Bytes examples_;  // source of a batch, in the data set's format
  Bytes data_set_;  // the worker's share of it
  Bytes evaluation_;
  bool rereads_ = false;  // the backward pass reads parameters again
  /// Messages received for a group since its last job; number of its next job, from 1.
  struct Waiting {
    std::vector<Touched> messages;
    std::int64_t job = 1;
  };
  std::vector<Waiting> waiting_;  // by group
  // By buffer: number of the job that will read it, so a job lists a buffer once.
  std::unordered_map<std::uint64_t, std::int64_t> waits_for_;
};

/// Time of cache misses of a worker alone in each step, after its first steps.
struct AloneMisses {
  double gradient_s = 0;
  double apply_s = 0;
};
/// `training` has one worker, as in `single`; `gradient`: its time with these misses.
AloneMisses misses_alone(const MemoryHierarchy& memory,
                         const std::shared_ptr<const Training>& training, Duration gradient);

}  // namespace foretrain
