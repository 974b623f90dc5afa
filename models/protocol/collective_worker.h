// The worker of strategies without servers.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/evaluator.h"
#include "models/protocol/gathers.h"
#include "models/protocol/gradient_progress.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/launches.h"
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

/// Takes steps by itself, and ends every round of them with a collective operation of all workers
/// (reduction.h):
///
///     step     a gradient, stage by stage; the strategy uses each bucket's as soon as it is there
///     round    some steps, the same number for all; in the last of them this worker's part of each
///              bucket goes into a sum, of which the bucket's owner makes new values for all
///
/// What a strategy is lies in what it does with a gradient, what its part of the sum is, what an
/// owner makes of the sum: those are the functions that it overrides.
///
/// Where parameters lie with their owners alone (gathers.h), a worker is through with a round when
/// what it owns is new, and gathers what each stage reads.
///
/// The step after a round begins when the values are here that its first layers read. Worker 0, the
/// chief, evaluates: after every `evaluate_every` of its steps, and at the end; then all values of
/// the round have to be here. Where an evaluation reaches the target, each worker ends with the
/// values of that round, and what it has computed since is dropped.
///
/// States are kept after a round whose values are all here, of which every worker knows by itself
/// (`checkpoint: every: 500 steps`), or from the chief (60 s): it names a round that none can end
/// without a part of the chief's, and its word goes ahead of that part, from worker to worker:
/// nothing overtakes a message of the lowest bucket. None waits for the others to have kept theirs:
/// what they send meanwhile is of the next round.
///
/// Of a step, `wait` is what passes between this worker's last part and the first sum that reaches
/// it: what the slowest holds up; `apply` is the time of its updates and reductions.
class CollectiveWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  void handle(Instant now, Input input, Effects& effects) final;
  /// It has ended a round, and its step.
  void restore(StateReader& state) final;

 protected:
  CollectiveWorker(std::shared_ptr<const Training> training, NodeId id, std::int64_t steps_a_round);

  /// This worker's step is through with a bucket: where the step ends a round, `part` goes into the
  /// sum. It may change when the new values have come.
  void contribute(Instant now, std::uint32_t bucket, Payload part, Effects& effects);
  /// The id of a job of the strategy's own.
  [[nodiscard]] static JobId own_job(std::uint32_t number) { return JobId{kFirstOwn + number}; }

  [[nodiscard]] const Training& training() const { return *training_; }
  [[nodiscard]] const Bucket& bucket_at(std::uint32_t index) const {
    return training_->layout->buckets[index];
  }
  [[nodiscard]] bool is_chief() const { return index_of(id_) == 0; }
  [[nodiscard]] bool owns(std::uint32_t bucket) const { return reduction_->owns(bucket); }
  [[nodiscard]] HeldParameters& parameters() { return parameters_; }
  /// The rounds whose new values this bucket has.
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const { return reduction_->rounds_of(bucket); }
  /// What is evaluated; what the training ends with.
  [[nodiscard]] virtual const Payload& learned() const { return parameters_.all(); }

 private:
  enum class State { idle, computing, reducing, evaluating, keeping, final_evaluation, finished };

  static constexpr std::uint64_t kEvaluation = 0;
  static constexpr std::uint64_t kGradient = 1;  // its first stage; then the others
  static constexpr std::uint64_t kFirstOwn = std::uint64_t{1} << 31;  // up to those of Reduction
  static constexpr std::uint64_t kKeep = kFirstOwn - 1;
  static constexpr TimerId kTimer{0};
  static constexpr TimerId kLaunch{1};
  static constexpr TimerId kGather{2};

  // What strategies differ in, beside what an owner does (Reduction::Owner):

  /// The gradient of a bucket is there; `contribute` has to follow, now or after a job.
  virtual void use_gradient(Instant now, std::uint32_t bucket, Payload gradient,
                            Effects& effects) = 0;
  /// The job that `own_job` has numbered so is computed.
  virtual void own_computed(Instant /*now*/, std::uint32_t /*number*/, Effects& /*effects*/) {}
  /// What the strategy has at the end of a round beside the parameters, which are in place.
  virtual void write_own(StateWriter& state) const = 0;
  virtual void read_own(StateReader& state) = 0;
  [[nodiscard]] virtual Bytes own_size() const = 0;
  /// A bucket has the new values of its round.
  virtual void renewed(std::uint32_t /*bucket*/, Effects& /*effects*/) {}

  void rang(Instant now, TimerId timer, Effects& effects);
  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  /// Asks for the stages of the gradient whose values are here.
  void go_on_computing(Instant now, Effects& effects);
  void stage_computed(Instant now, const Computed& computed, Effects& effects);
  /// Buckets whose gradients are there, in the order in which their sums are to leave.
  [[nodiscard]] std::vector<std::uint32_t> in_turn(const std::vector<std::uint32_t>& buckets);
  /// They are in place, if there are such.
  void new_values(Instant now, BucketRun run, Effects& effects);
  void end_step_if_it_may(Instant now, Effects& effects);
  void end_round(Instant now);
  /// Values of others have come that were asked for.
  void gathered(Instant now, Effects& effects);
  /// Those of this round that the next step begins with, or all.
  [[nodiscard]] bool values_are_here(bool all, Effects& effects);
  /// The values that its first stage reads are here.
  [[nodiscard]] bool next_step_may_begin();
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  void keep(Effects& effects);
  [[nodiscard]] std::string state() const;
  void wait_for_cut(Effects& effects) const;
  /// The round whose number is `round` ends with a cut: tells all but who said so.
  void cut_after(Step round, NodeId heard_from, Effects& effects);
  [[nodiscard]] bool hear_cut(NodeId from, Step round, Effects& effects);
  /// The step that is under way ends with a cut.
  [[nodiscard]] bool ends_with_cut() const;
  /// Where the target is reached: when all values are those that were evaluated, no job of this
  /// worker's under way.
  void finish_if_it_may(Effects& effects);
  void finish(Effects& effects);

  /// The step that is under way is the last of its round.
  [[nodiscard]] bool ends_round() const;
  /// The number of the sum that the next part of a bucket goes into.
  [[nodiscard]] Step sum_under_way() const;
  [[nodiscard]] bool is_evaluated(Step step) const {
    return is_chief() && training_->evaluated_after(step);
  }
  /// What this worker computes is not wanted any more.
  [[nodiscard]] bool over() const { return round_.value >= reduction_->rounds(); }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::int64_t steps_a_round_;
  WorkerCompute worker_compute_;
  HeldParameters parameters_;
  std::unique_ptr<Reduction> reduction_;
  Launches launches_;
  CollectiveTurns turns_;
  Gathers gathers_;
  std::size_t to_renew_;  // buckets that a round brings new values of
  State state_ = State::idle;
  Step step_;
  Step round_;
  int jobs_ = 0;                   // under way
  std::size_t contributed_ = 0;    // buckets that this step is through with, as often as summed
  std::size_t renewed_ = 0;        // buckets that have the new values of this round
  std::size_t first_renewed_ = 0;  // of those that the first stage needs: so many, in their order

  StepClock clock_;
  GradientProgress gradient_;
  Instant computed_at_;  // the gradient
  Instant through_at_;   // this worker was with its step
  Instant last_update_;
  Evaluator evaluator_;
  std::int64_t evaluated_ = 0;  // evaluations reported
  Cuts cuts_;
  std::deque<Step> cut_rounds_;  // by time, still to come: the chief may be a cut ahead
  Step heard_cut_;               // the last of all
  bool cut_due_ = false;         // after the step that was reported last
};

}  // namespace foretrain
