// Local SGD: workers learn by themselves for some steps, then average their parameters.
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
#include <optional>
#include <vector>

namespace foretrain {

/// A round is H steps (`training.local_steps`) in which each of N workers applies its own gradients
/// with an optimizer of its own, from the same parameters w; then the parameters are averaged
/// (Stich 2019):
///
///     x_n = w;   H times: x_n = optimizer_n(x_n, g_n(x_n))
///     mean = (1/N) * sum over workers n = 0 .. N-1 of x_n
///     w    = mean
///
/// With an outer optimizer (`training.outer`) the averaged change is a gradient of its own, which
/// Nesterov's momentum applies to what the round began with (DiLoCo; Douillard, Feng, Rusu and
/// others 2023):
///
///     G = w - mean;   v = momentum * v + G;   w = w - rate * (G + momentum * v)
///
/// A round's messages are those of an all-reduce (reduction.h), of parameters in place of
/// gradients; between rounds nobody sends anything:
///
///     worker -> worker    partial       a bucket's x_n so far; the owner gets the sum
///     owner               averages, applies the outer optimizer
///     worker -> worker    parameters    the bucket's new w, passed on to all
///
/// Of P parameters each worker sends 2 (N - 1) / N x 4 P bytes a round, so 1 / H of what all_reduce
/// sends a step. It holds P parameters with the state of its own optimizer; an owner also what its
/// part began the round with and the momentum, 8 P / N bytes, where there is an outer optimizer.
///
/// `steps` counts a worker's gradients; an update is an averaging; a last, shorter round averages,
/// too. The state of a worker's optimizer stays with it. Schedules count the examples of all
/// workers. The order of a sum is that of the route, so weights are a function of the seed. With
/// H = 1, sgd and no outer optimizer the mean of w - rate * g_n is what all_reduce computes as
/// w - rate * (mean of g_n): equal but for the rounding of N + 1 operations each.
///
/// The chief evaluates the parameters that were averaged last, also within a round. Where they
/// reach the target, each worker ends with them; what it has learned since is lost.
class LocalSgdWorker : public Node, public Buffering, private Reduction::Owner {
 public:
  LocalSgdWorker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;

 private:
  enum class State { idle, learning, averaging, evaluating, final_evaluation, finished };
  /// Of a bucket that this worker owns.
  struct Owned {
    Payload values;               // what was averaged; another worker may be reading it still
    std::vector<float> start;     // [bucket's count]: what the round began with (outer optimizer)
    std::vector<float> momentum;  // [bucket's count] (outer optimizer)
  };

  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override;
  Payload finished(std::uint32_t bucket) override;
  void average(std::uint32_t bucket, const std::vector<Payload>& addends);

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  void go_on_computing(Instant now, Effects& effects);
  void stage_computed(Instant now, const Computed& computed, Effects& effects);
  /// This worker's gradient is applied to its own parameters.
  void applied(Instant now, std::uint32_t bucket, Effects& effects);
  /// A bucket has its averaged values.
  void new_values(Instant now, std::uint32_t bucket, Effects& effects);
  void end_step_if_it_may(Instant now, Effects& effects);
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  /// Where the target is reached: when all values are those that were evaluated, no job of this
  /// worker's under way.
  void finish_if_it_may(Effects& effects);
  void finish(Effects& effects);

  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  [[nodiscard]] const Bucket& bucket_at(std::uint32_t index) const {
    return training_->layout->buckets[index];
  }
  /// The step that is under way is the last of its round.
  [[nodiscard]] bool ends_round() const;
  /// It is the last of all.
  [[nodiscard]] bool is_last() const { return step_.next().value == training_->steps; }
  [[nodiscard]] bool is_evaluated(Step step) const {
    return rank() == 0 && training_->evaluated_after(step);
  }
  /// What this worker learns is not wanted any more.
  [[nodiscard]] bool over() const { return round_.value >= reduction_.rounds(); }
  /// The parameters that were averaged last.
  [[nodiscard]] const Payload& averaged() const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::int64_t local_steps_;
  WorkerCompute worker_compute_;
  HeldParameters parameters_;
  Reduction reduction_;
  std::vector<std::unique_ptr<ShardBucket>> own_;  // by bucket: this worker's optimizer
  std::unique_ptr<const Optimizer> outer_;         // null: none
  std::vector<Owned> owned_;                       // by bucket
  /// The chief's, where it evaluates within rounds: a copy of what was averaged last.
  std::optional<HeldParameters> averaged_;
  State state_ = State::idle;
  Step step_;  // of this worker
  Step round_;
  int jobs_ = 0;             // under way
  std::size_t applied_ = 0;  // buckets that have this worker's gradient of this step
  std::size_t renewed_ = 0;  // buckets that have the new values of this round

  StepClock clock_;
  GradientProgress gradient_;
  Instant computed_at_;
  Instant applied_at_;
  Instant last_update_;
  Evaluator evaluator_;
};

/// Its nodes: a LocalSgdWorker each.
Protocol local_sgd_protocol();

}  // namespace foretrain
