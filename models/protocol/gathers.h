// Parameters that lie with their owners alone, brought to a worker layer by layer.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/collective_turns.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/node.h"
#include "models/protocol/route.h"
#include "models/protocol/training.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// What workers of an all-reduce have their own part of alone, `training.shard`:
///
///     optimizer     its state: as an all-reduce always has it here    ZeRO's stages 1, 2
///     gradients     they, too: the same messages, less memory         stage 2
///     parameters    they, too: gathered before they are read          stage 3; FSDP
///
/// (ZeRO: Rajbhandari, Rasley, Ruwase, He 2020; Fully Sharded Data Parallel: Zhao and others 2023).
/// Of N workers and P parameters of 4 bytes each sends in a step, where p of them are read by the
/// stage that ends the forward pass, begins the backward pass, and so has them once for both:
///
///     optimizer, gradients    2 (N - 1) / N x 4 P
///     parameters              3 (N - 1) / N x 4 P - (N - 1) / N x 4 p
///
/// Of k batches a gradient (`accumulate`) stages 2, 3 reduce each, (N - 1) / N x 4 P more for each
/// after the first, and gather parameters for each; `reduce: step` adds up batches first.
///
/// This is a worker's side of the gathers. A stage of a gradient (gradient_stages.h) is a unit of
/// FSDP; `bucket_rule: ddp` makes units of tensors that have bucket_size together. What it reads is
/// gathered before it, let go after it: one gather at a time, the next one while a stage is
/// computed, one ahead, as FSDP prefetches. Sums of gradients go their way beside that, each to the
/// bucket's owner (reduction.h). Who has updated all that it owns goes on, and every gather takes
/// all workers, so none is a step ahead.
///
/// With `group: G` each group of G workers has all parameters in G parts, so the M = N / G groups
/// are replicas of each other (FSDP's HYBRID_SHARD; MiCS: Zhang and others 2022). Gathers stay
/// within a group. Sums go round the group, then round the workers that keep the same part; their
/// owner updates it and sends the new values round those again: 2 (M - 1) / M x 4 P / G more
/// between groups, on connections of their own.
///
/// A gather goes the way of new values (route.h), bucket by bucket: from the owner when that has
/// come to it, on from each worker when this one has, too; what comes sooner waits. A worker sends
/// its own values first, for they have the longest way, then others' as they come.
/// `framework.collective` passes before each. Where the chief evaluates, at the end, too, all
/// workers gather everything once; the memory of that is left out, for layer by layer it would be
/// less.
///
/// Forecasts alone take it: what is let go keeps its room here.
class Gathers {
 public:
  /// `stages`: of a gradient. Values are put into `parameters`; what waits is counted in `held`.
  /// `turns` is told of each gather. All outlive it. `timer`: it rings where starting a gather
  /// takes time.
  Gathers(std::shared_ptr<const Training> training, NodeId id,
          const std::vector<GradientStage>& stages, HeldParameters& parameters, BufferedBytes& held,
          CollectiveTurns& turns, TimerId timer);

  /// There is something to be gathered; else nothing of the rest is asked for.
  [[nodiscard]] bool wanted() const { return !parts_.empty(); }
  /// A step begins: nothing is here.
  void begin_step();
  /// So many of its stages are computed: begins what may begin.
  void go_on(std::size_t computed, Effects& effects);
  /// The values of so many of its stages have come.
  [[nodiscard]] std::size_t stages_here() const { return begun_ - (is_complete() ? 0 : 1); }
  /// After its last stage: begins to gather everything, once. True: all is here.
  bool all_here(Effects& effects);
  /// The timer has rung.
  void started(Effects& effects);
  /// Values that another worker sends. False: they come out of turn.
  bool receive(NodeId from, Message message, Effects& effects);

 private:
  struct Part {
    std::int64_t entered = 0;  // gathers of this bucket that this worker has come to
    std::int64_t come = 0;     // those whose values have come
  };
  /// Values of a gather of their bucket that this worker has not come to: which one.
  struct Early {
    std::uint32_t bucket = 0;
    std::int64_t number = 0;
    Payload values;
  };

  void begin(const std::vector<std::uint32_t>& buckets, Effects& effects);
  void enter(const std::vector<std::uint32_t>& buckets, Effects& effects);
  void send_own(std::uint32_t bucket, Effects& effects);
  void take(std::uint32_t bucket, const Payload& sent, Effects& effects);
  void send_on(std::uint32_t bucket, const Payload& sent, Effects& effects) const;
  [[nodiscard]] bool is_complete() const { return missing_ == 0 && starting_.empty(); }
  /// Among the workers that gather; counted from the first of them.
  [[nodiscard]] Route route_of(std::uint32_t bucket) const;
  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  /// The first worker of those.
  [[nodiscard]] int first() const {
    return training_->has_replicas() ? rank() - rank() % training_->parts : 0;
  }
  /// Of a bucket, by which an owner may be ahead of this worker.
  [[nodiscard]] std::int64_t most_ahead() const { return 2 * training_->accumulate + 1; }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  const std::vector<GradientStage>& stages_;
  HeldParameters& parameters_;
  BufferedBytes& buffered_;
  CollectiveTurns& turns_;
  TimerId timer_;
  std::vector<Part> parts_;              // by bucket; none where nothing is gathered
  std::vector<Early> early_;             // in the order in which they came
  std::vector<std::uint32_t> starting_;  // what the timer is for
  std::size_t missing_ = 0;              // buckets of the gather that is under way
  std::size_t begun_ = 0;                // gathers of this step
  bool all_begun_ = false;
};

}  // namespace foretrain
