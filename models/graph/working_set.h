// What the work of a node touches, in order, as the caches of its host see it.
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

/// The bytes of one node. Work that touches them asks the host's caches where they lie; bytes that
/// two pieces of work have in common are the same there, so what a backward pass wrote is near for
/// the update that follows it.
///
///     gradient   examples out of the worker's share of the data set, batch, parameters; then
///                layer by layer the input, scratch, the output, what it saves; and back: the
///                gradient by the output, what it reads of these, that by the input; then
///                parameters (where more than one layer has any), gradients; of a batch that is
///                added to others what it adds
///     apply      what is added up (the node's own gradients, what came), parameters, state
///     reduce     likewise, but parameters and state
///     evaluate   parameters, what its examples need
///     message    the buffer that it is put into, which the one before it was put into, too
///     sent       the kernel's pages that it is copied to, which that of the step before had, too
///
/// A sparse batch touches some parameters, each of which brings the 64 bytes of its cache line: a
/// part of the parameters as large as these lines stands for them.
///
/// Realism: a layer's parameters are not told apart from those beside it in a bucket; of more than
/// 32 buckets several count as one. Scratch that a layer goes over several times counts once.
class WorkingSet {
 public:
  /// When something is computed.
  struct Span {
    Instant begin;
    Duration takes;
  };
  /// The working set of node `id`; `simd`: floats in a register of its host's kernels.
  WorkingSet(std::shared_ptr<const Training> training, NodeId id,
             int simd = register_floats(kernel_set()));

  /// The whole gradient of a batch, on `core`, begins at `now` and takes so long. `adds`: it is
  /// added to those of others.
  Refill gradient(Caches& caches, int core, const Span& span, bool adds = false);
  /// Any other job.
  Refill job(Caches& caches, int core, const Job& job);
  /// A message is put where the program can read it. `addend`: something is made of it by a job of
  /// its bucket; else it brings values.
  Refill message(Caches& caches, int core, NodeId from, const Message& message, bool addend);

  /// A message is copied into the kernel, for `to`.
  Refill sent(Caches& caches, int core, NodeId to, const Message& message);

  /// All that a gradient touches, each byte once.
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

  /// All of them in order, and back.
  Refill pass_layers(Caches& caches, int core, const Span& span) const;
  /// What a sum of others meets.
  Refill sums(Caches& caches, int core, const Job& job) const;
  [[nodiscard]] Touched piece(Kind kind, Bytes size, std::uint32_t group = 0) const;
  /// Buckets of a group, together.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t bucket) const;
  /// That work on a whole bucket touches of its parameters; `touched`: where they are sparse.
  [[nodiscard]] Bytes parameters_of(std::uint32_t bucket, std::int64_t touched) const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::vector<Bytes> groups_;  // of parameters that a gradient touches
  std::vector<LayerMemory> layers_;
  Bytes activations_;  // of all of them, each byte once
  Bytes batch_;
  Bytes examples_;  // that a batch is made of, as the data set has them
  Bytes data_set_;  // the worker's share of it
  Bytes evaluation_;
  bool rereads_ = false;  // parameters, on the way back
  /// What came for a group and waits for its next job, which has that number, from 1.
  struct Waiting {
    std::vector<Touched> messages;
    std::int64_t job = 1;
  };
  std::vector<Waiting> waiting_;  // by group
  // By buffer: for which job of its group.
  std::unordered_map<std::uint64_t, std::int64_t> waits_for_;
};

/// What a worker alone waits for its bytes in each step, once it has made some.
struct AloneRefill {
  double gradient_s = 0;
  double apply_s = 0;
};
/// `training`: of one worker, as `single` does it; `gradient`: what one takes, with that.
AloneRefill refill_alone(const MemoryHierarchy& memory,
                         const std::shared_ptr<const Training>& training, Duration gradient);

}  // namespace foretrain
