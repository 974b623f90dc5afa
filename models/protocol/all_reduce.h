// Synchronous SGD without servers: workers sum up their gradients among themselves.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/evaluator.h"
#include "models/protocol/gradient_progress.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/reduction.h"
#include "models/protocol/shard.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"
#include "models/protocol/worker_compute.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Each worker computes a gradient of the same parameters, all gradients are added up (see
/// reduction.h), and the owner of a bucket applies their mean to it:
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
///     worker -> worker    partial       a bucket's gradients so far; the owner gets the sum
///     owner               applies the mean
///     worker -> worker    parameters    the bucket's new values, passed on to all
///
/// A step moves 2 (N - 1) / N of the parameters through each worker, in each direction, in
/// 2 (N - 1) / N messages a bucket. Applying in between, each worker its own part, takes 1 / N of
/// the time and of the optimizer's memory that applying everywhere after an all-reduce would take,
/// for the same numbers (Rajbhandari, Rasley, Ruwase, He 2020).
///
/// The order of a sum is that of the route, so weights are a function of the seed, whatever the
/// timing. A worker begins its next step when the values are here that its first layers read; it
/// may be one step ahead of another. Where the chief says that the target is reached, each worker
/// ends with the values that were evaluated.
///
/// Of a step, `wait` is what passes between the worker's gradient and the first sum that reaches
/// it: what the slowest holds up; `apply` is the time of its reductions and updates.
class AllReduceWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  AllReduceWorker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;

 private:
  enum class State { idle, computing, reducing, evaluating, final_evaluation, finished };

  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override;
  Payload finished(std::uint32_t bucket) override;

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  /// Where the target is reached: when all values are those that were evaluated, no job of this
  /// worker's under way.
  void finish_if_it_may(Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  /// Asks for the stages of the gradient whose values are here.
  void go_on_computing(Instant now, Effects& effects);
  void stage_computed(Instant now, const Computed& computed, Effects& effects);
  /// They are in place.
  void new_values(Instant now, std::uint32_t bucket, Effects& effects);
  void end_step_if_it_may(Instant now, Effects& effects);
  /// The values that it reads are here.
  [[nodiscard]] bool first_stage_may_begin();
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  void finish(Effects& effects);

  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  [[nodiscard]] bool is_evaluated(Step step) const;
  /// Its gradient is not wanted any more.
  [[nodiscard]] bool beyond_end() const { return step_.value >= reduction_.rounds(); }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  WorkerCompute worker_compute_;
  HeldParameters parameters_;
  Reduction reduction_;                              // a step is a round of it
  std::vector<std::unique_ptr<ShardBucket>> owned_;  // by bucket; null: another's
  State state_ = State::idle;
  Step step_;
  int jobs_ = 0;                   // under way
  std::size_t renewed_ = 0;        // buckets that have the new values of this step
  std::size_t first_renewed_ = 0;  // of those that the first stage needs: so many, in their order

  StepClock clock_;
  GradientProgress gradient_;
  Instant computed_at_;
  Instant last_update_;
  Evaluator evaluator_;
};

/// Its nodes: an AllReduceWorker each.
Protocol all_reduce_protocol();

}  // namespace foretrain
