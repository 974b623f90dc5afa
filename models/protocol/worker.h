// The worker of a parameter server.
#pragma once

#include "models/protocol/evaluator.h"
#include "models/protocol/gradient_progress.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/node.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"
#include "models/protocol/worker_compute.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Computes a gradient, pushes each bucket as soon as backpropagation is through with it, and
/// begins again as soon as the new values are here that the first layers read; the servers say when
/// it is over. What a strategy is lies in when they answer, so every strategy with a server has
/// this worker.
///
/// Worker 0, the chief, evaluates: after the step in which the servers' updates come to a multiple
/// of `evaluate_every` steps of all, whether its own gradient is among them or was dropped, and at
/// the end; then it waits for the values of all buckets. Where an evaluation reaches the target of
/// the training, it computes no further, tells the servers, and waits for their last values.
class Worker : public Node {
 public:
  Worker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;
  /// It has pushed all of a gradient, which no server has answered.
  void restore(StateReader& state) override;
  /// It begins by pulling. Its batches go on from the number of its first step, which the answer of
  /// the first bucket says: one that no step of those before it has had.
  void rejoin(std::int64_t generation) override;

 private:
  enum class State {
    idle,
    joining,
    computing,
    waiting,
    evaluating,
    stopping,
    final_evaluation,
    finished
  };

  void compute_gradient(Instant now, Effects& effects);
  /// Asks for the stages of the gradient whose values are here.
  void go_on_computing(Instant now, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void push(const GradientStage& stage, Effects& effects);
  void receive(Instant now, NodeId from, Message message, Effects& effects);
  [[nodiscard]] bool in_turn(NodeId from, const Message& message) const;
  /// Asks for a bucket, in the place of a process that was lost.
  void pull(std::uint32_t index, Effects& effects);
  void pulled(Instant now, const Message& message, Effects& effects);
  void put(std::uint32_t index, Payload values, Effects& effects);
  void put_deferred(Effects& effects);
  [[nodiscard]] bool may_end_step() const;
  void end_step(Instant now, Effects& effects);
  void report_step(Effects& effects);
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, bool final, Effects& effects);
  /// The target is reached: waits for the servers to call it over.
  void stop(Effects& effects);
  /// What comes after a step, or after the servers have called it over.
  void go_on(Instant now, Effects& effects);
  [[nodiscard]] bool over() const { return last_values_ == buckets_.size(); }
  struct SparseView;
  /// What a gradient reads, or an evaluation: all parameters; sparse: `part` of all buckets, end to
  /// end.
  [[nodiscard]] Payload parameters_held(Payload SparseView::*part, Effects& effects) const;
  [[nodiscard]] bool fits(const Payload& values, const Bucket& bucket) const;
  /// This node evaluates what it holds after the step that begins. Known before that is pushed: of
  /// a sparse model the answer has to bring all parameters.
  [[nodiscard]] bool begins_evaluated_step();

  /// The servers keep their states, and answer nobody before that: all that is under way of this
  /// worker's is their answers. It keeps its own beside what it does next.
  void keep(NodeId from, const Message& cut, Effects& effects);

  /// What this worker knows of a bucket.
  struct BucketView {
    Version version{};
    Step pushed{};         // the step of its last push
    bool awaited = false;  // its answer is to come
    bool last = false;     // the values are its last ones
  };
  /// Of a sparse model also this.
  struct SparseView {
    Payload values;  // what was sent last; of the last ones all, else what was asked for
    Payload view;    // of them, what the gradient reads
  };
  /// Last values that came while a job may read the old ones; once a bucket at most.
  struct Deferred {
    std::uint32_t bucket;
    Payload values;
  };

  std::shared_ptr<const Training> training_;
  NodeId id_;
  WorkerCompute worker_compute_;
  State state_ = State::idle;
  Step step_;
  /// What pushes are numbered by: the gradients so far but those that were dropped. So no two that
  /// count for a bucket have the same. Where the first bucket is over, `step_` rests, this goes on.
  Step number_;
  HeldParameters parameters_;  // dense
  std::vector<BucketView> buckets_;
  std::vector<SparseView> sparse_;  // by bucket; of a dense model empty
  std::vector<Deferred> deferred_;
  std::size_t awaited_ = 0;      // buckets whose push is not answered
  std::size_t last_values_ = 0;  // buckets that have their last values
  bool counted_ = false;         // the first bucket's push of this step counted
  bool dropped_ = false;         // it came too late

  StepClock clock_;
  GradientProgress gradient_;
  std::int64_t staleness_ = 0;
  Evaluator evaluator_;
  std::int64_t evaluated_ = 0;  // evaluations reported
  Version evaluation_due_;      // the next one; zero: not known yet
  bool evaluates_ = false;      // after the step that is under way
  bool restored_ = false;       // not started since
  std::int64_t generation_ = 1;
};

}  // namespace foretrain
