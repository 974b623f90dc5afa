// Parameters that only their owners hold, gathered by a worker layer by layer.
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

/// Sharded state of the workers of an all-reduce, `training.shard`:
///
///     optimizer     the optimizer's state: as in any all-reduce here    ZeRO's stages 1, 2
///     gradients     gradients, too: the same messages, less memory      stage 2
///     parameters    parameters, too: gathered before they are read      stage 3; FSDP
///
/// (ZeRO: Rajbhandari, Rasley, Ruwase, He 2020; Fully Sharded Data Parallel: Zhao and others 2023).
/// With N workers and P parameters of 4 bytes each worker sends in a step, if p of them are read,
/// and gathered once, by the stage that ends the forward and begins the backward pass:
///
///     optimizer, gradients    2 (N - 1) / N x 4 P
///     parameters              3 (N - 1) / N x 4 P - (N - 1) / N x 4 p
///
/// With k batches a gradient (`accumulate`) stages 2 and 3 reduce each batch, (N - 1) / N x 4 P
/// more after the first, and gather parameters for each; `reduce: step` adds up batches first.
///
/// This class is a worker's side of the gathers. A stage of a gradient (gradient_stages.h) is a
/// unit of FSDP; `bucket_rule: ddp` makes units of tensors that have bucket_size together. The
/// parameters of a stage are gathered before it and released after it: one gather at a time, the
/// next one during the computation of a stage, one ahead, as FSDP prefetches. Sums of gradients are
/// independent of that, each goes to the bucket's owner (reduction.h). A worker that has updated
/// all that it owns continues; every gather takes all workers, so none is a step ahead.
///
/// With `group: G` each group of G workers has all parameters in G parts, so the M = N / G groups
/// are replicas (FSDP's HYBRID_SHARD; MiCS: Zhang and others 2022). Gathers stay within a group.
/// Sums go round the group, then round the workers that hold the same part; their owner updates it
/// and sends the new values round those workers: 2 (M - 1) / M x 4 P / G more between groups, on
/// separate connections.
///
/// A gather takes the route of new values (route.h), bucket by bucket: the owner sends when it has
/// begun the gather, and each worker forwards when it has begun the gather, too; values that arrive
/// sooner wait. A worker sends its own values first, because they have the longest route, then
/// others' as they come. Each gather begins after a time of `framework.collective`. If the chief
/// evaluates, also at the end, all workers gather everything once; the memory of that is left out,
/// because a gather layer by layer would need less.
///
/// Only forecasts use it: a real run would not free the released memory.
class Gathers {
 public:
  /// `stages` are those of a gradient. Values are put into `parameters`; waiting values are counted
  /// in `held`. `turns` is notified of each gather. All must outlive this object. `timer` fires
  /// when a gather has started, if starting takes time.
  Gathers(std::shared_ptr<const Training> training, NodeId id,
          const std::vector<GradientStage>& stages, HeldParameters& parameters, BufferedBytes& held,
          CollectiveTurns& turns, TimerId timer);

  /// Something has to be gathered; otherwise no other function is called.
  [[nodiscard]] bool wanted() const { return !parts_.empty(); }
  /// A step begins: no values are present.
  void begin_step();
  /// `computed` stages of the step are computed: begins the gathers that may begin.
  void go_on(std::size_t computed, Effects& effects);
  /// The number of stages of the step whose values have arrived.
  [[nodiscard]] std::size_t stages_here() const { return begun_ - (is_complete() ? 0 : 1); }
  /// No gather is under way.
  [[nodiscard]] bool is_complete() const { return missing_ == 0 && starting_.empty(); }
  /// After the last stage: begins to gather everything, once. True when all has arrived.
  bool all_here(Effects& effects);
  /// The timer has fired.
  void started(Effects& effects);
  /// Values from another worker. False if they are out of turn.
  bool receive(NodeId from, Message message, Effects& effects);

 private:
  struct Part {
    std::int64_t entered = 0;  // gathers of this bucket that this worker has begun
    std::int64_t come = 0;     // gathers whose values have arrived
  };
  /// Values of a gather of their bucket that this worker has not begun: gather `number`.
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
  /// The route among the workers that gather, counted from the first of them.
  [[nodiscard]] Route route_of(std::uint32_t bucket) const;
  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  /// The first worker of its group.
  [[nodiscard]] int first() const {
    return training_->has_replicas() ? rank() - rank() % training_->parts : 0;
  }
  /// How many gathers of a bucket an owner may be ahead of this worker.
  [[nodiscard]] std::int64_t most_ahead() const { return 2 * training_->accumulate + 1; }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  const std::vector<GradientStage>& stages_;
  HeldParameters& parameters_;
  BufferedBytes& buffered_;
  CollectiveTurns& turns_;
  TimerId timer_;
  std::vector<Part> parts_;              // by bucket; empty if nothing is gathered
  std::vector<Early> early_;             // in the order of arrival
  std::vector<std::uint32_t> starting_;  // the buckets that the timer is for
  std::size_t missing_ = 0;              // buckets missing in the gather under way
  std::size_t begun_ = 0;                // gathers begun in this step
  bool all_begun_ = false;
};

}  // namespace foretrain
