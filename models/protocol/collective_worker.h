// The worker of strategies without servers.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/evaluator.h"
#include "models/protocol/gathers.h"
#include "models/protocol/gradient_progress.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/launch_queue.h"
#include "models/protocol/node.h"
#include "models/protocol/reduction.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"
#include "models/protocol/worker_compute.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace foretrain {

/// Computes steps, and ends every round of steps with a collective operation of all workers
/// (reduction.h):
///
///     step     a gradient, stage by stage; the strategy uses each bucket's as soon as it is there
///     round    a number of steps, the same for all; in the last of them this worker's part of each
///              bucket goes into a sum, from which the bucket's owner makes new values for all
///
/// A strategy defines what it does with a gradient, what its part of the sum is, and what an owner
/// makes from the sum, by the functions that it overrides.
///
/// If only their owners hold parameters (gathers.h), a worker has ended a round when its own part
/// is updated, and gathers what each stage reads.
///
/// The step after a round begins when the values that its first layers read have arrived. Worker 0,
/// the chief, evaluates after every `evaluate_every` of its steps and at the end, when all values
/// of the round have arrived. If an evaluation reaches the target, each worker ends with the values
/// of that round and drops what it has computed since.
///
/// States are saved after a round when all its values have arrived. Every worker knows that round
/// by itself (`checkpoint: every: 500 steps`), or from the chief (60 s): the chief names a round
/// that no worker can end without the chief's part, and sends the name ahead of that part, from
/// worker to worker: nothing overtakes a message of the lowest bucket. No worker waits until others
/// have saved: their messages meanwhile belong to the next round.
///
/// In a step `wait` is the time from this worker's last part to the first sum that reaches it, the
/// delay by the slowest worker; `apply` is the time of its updates and reductions.
class CollectiveWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  void handle(Instant now, Input input, Effects& effects) final;
  /// The worker has ended a round and its step.
  void restore(StateReader& state) final;

 protected:
  CollectiveWorker(std::shared_ptr<const Training> training, NodeId id, std::int64_t steps_a_round);

  /// This worker's step has finished a bucket: if the step ends a round, `part` goes into the sum.
  /// `part` must not change before the new values have come.
  void contribute(Instant now, std::uint32_t bucket, Payload part, Effects& effects);
  /// The id of a job of the strategy.
  [[nodiscard]] static JobId own_job(std::uint32_t number) { return JobId{kFirstOwn + number}; }

  [[nodiscard]] const Training& training() const { return *training_; }
  [[nodiscard]] const Bucket& bucket_at(std::uint32_t index) const {
    return training_->layout->buckets[index];
  }
  [[nodiscard]] bool is_chief() const { return index_of(id_) == 0; }
  [[nodiscard]] bool owns(std::uint32_t bucket) const { return reduction_->owns(bucket); }
  [[nodiscard]] HeldParameters& parameters() { return parameters_; }
  /// The number of rounds whose new values this bucket has.
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const { return reduction_->rounds_of(bucket); }
  /// The parameters that are evaluated, and that the training ends with.
  [[nodiscard]] virtual const Payload& learned() const { return parameters_.all(); }

 private:
  enum class State { idle, computing, reducing, evaluating, keeping, final_evaluation, finished };

  static constexpr std::uint64_t kEvaluation = 0;
  static constexpr std::uint64_t kGradient = 1;  // the first stage; the others follow
  static constexpr std::uint64_t kFirstOwn = std::uint64_t{1} << 31;  // up to Reduction's ids
  static constexpr std::uint64_t kKeep = kFirstOwn - 1;
  static constexpr TimerId kTimer{0};
  static constexpr TimerId kLaunch{1};
  static constexpr TimerId kGather{2};

  // The functions in which strategies differ, besides those of an owner (Reduction::Owner):

  /// The gradient of a bucket is computed; `contribute` has to follow, now or after a job.
  virtual void use_gradient(Instant now, std::uint32_t bucket, Payload gradient,
                            Effects& effects) = 0;
  /// The job `own_job(number)` is computed.
  virtual void own_computed(Instant /*now*/, std::uint32_t /*number*/, Effects& /*effects*/) {}
  /// The strategy's state at the end of a round, without the parameters, which are in place.
  virtual void write_own(StateWriter& state) const = 0;
  virtual void read_own(StateReader& state) = 0;
  [[nodiscard]] virtual Bytes own_size() const = 0;
  /// A bucket has the new values of its round.
  virtual void renewed(std::uint32_t /*bucket*/, Effects& /*effects*/) {}

  void rang(Instant now, TimerId timer, Effects& effects);
  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  /// Requests the stages of the gradient whose values have arrived.
  void go_on_computing(Instant now, Effects& effects);
  void stage_computed(Instant now, const Computed& computed, Effects& effects);
  /// Buckets of a stage in the order in which their sums are to leave.
  [[nodiscard]] std::vector<std::uint32_t> in_turn(const std::vector<std::uint32_t>& buckets);
  /// Parts whose collective has started go into their sums.
  void add(Instant now, std::vector<LaunchQueue::Part> parts, Effects& effects);
  /// The buckets of `run`, if any, have new values in place.
  void new_values(Instant now, BucketRun run, Effects& effects);
  void end_step_if_it_may(Instant now, Effects& effects);
  void end_round(Instant now);
  /// Gathered values of other workers have arrived.
  void gathered(Instant now, Effects& effects);
  /// The values of this round have arrived: those that the next step begins with, or `all`.
  [[nodiscard]] bool values_are_here(bool all, Effects& effects);
  /// The values that its first stage reads have arrived.
  [[nodiscard]] bool next_step_may_begin();
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  void keep(Effects& effects);
  [[nodiscard]] std::string state() const;
  void wait_for_cut(Effects& effects) const;
  /// Round number `round` ends with a cut: informs all neighbours but `heard_from`.
  void cut_after(Step round, NodeId heard_from, Effects& effects);
  [[nodiscard]] bool hear_cut(NodeId from, Step round, Effects& effects);
  /// The step under way ends with a cut.
  [[nodiscard]] bool ends_with_cut() const;
  /// Finishes after the target was reached, if all values are the evaluated ones and no job of this
  /// worker is under way.
  void finish_if_it_may(Effects& effects);
  void finish(Effects& effects);

  /// The step under way is the last of its round.
  [[nodiscard]] bool ends_round() const;
  /// The number of the sum that the next part of a bucket goes into.
  [[nodiscard]] Step sum_under_way() const;
  [[nodiscard]] bool is_evaluated(Step step) const {
    return is_chief() && training_->evaluated_after(step);
  }
  /// This worker's results are not needed any more.
  [[nodiscard]] bool over() const { return round_.value >= reduction_->rounds(); }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::int64_t steps_a_round_;
  WorkerCompute worker_compute_;
  HeldParameters parameters_;
  std::unique_ptr<Reduction> reduction_;
  LaunchQueue launch_queue_;
  CollectiveTurns turns_;
  Gathers gathers_;
  std::size_t to_renew_;  // buckets with new values in each round
  State state_ = State::idle;
  Step step_;
  Step round_;
  int jobs_ = 0;                   // jobs under way
  std::size_t contributed_ = 0;    // buckets that this step has finished, once for each sum
  std::size_t renewed_ = 0;        // buckets that have the new values of this round
  std::size_t first_renewed_ = 0;  // leading buckets of the first stage's needs with new values

  StepClock clock_;
  GradientProgress gradient_;
  Instant computed_at_;  // when the gradient was computed
  Instant through_at_;   // when all parts of the step had been contributed
  Instant last_update_;
  Evaluator evaluator_;
  std::int64_t evaluated_ = 0;  // evaluations reported
  Cuts cuts_;
  std::deque<Step> cut_rounds_;  // pending cuts by time; the chief may be a cut ahead
  Step heard_cut_;               // the latest cut received
  bool cut_due_ = false;         // after the last reported step
};

}  // namespace foretrain
