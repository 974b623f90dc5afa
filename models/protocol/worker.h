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

/// Computes a gradient, pushes each bucket as soon as backpropagation has computed it, and begins
/// again as soon as the new values that the first layers read have arrived; the servers decide when
/// it is over. Strategies differ in when the servers answer, so every strategy with a server uses
/// this worker.
///
/// Worker 0, the chief, also evaluates: at the end, and after each step in which the updates reach
/// a multiple of `evaluate_every` steps of all workers, even if its own gradient was dropped.
/// Before an evaluation it waits for the values of all buckets. If the result reaches the target of
/// the training, it computes no more, informs the servers, and waits for their last values.
class Worker : public Node {
 public:
  Worker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;
  /// Continues from a checkpoint: every bucket of a gradient is pushed, none is answered yet.
  void restore(StateReader& state) override;
  /// A process that replaces a lost one first pulls all buckets. The answer for the first bucket
  /// has the number of its first step, unused by earlier processes: its batches continue from it.
  void rejoin(std::int64_t incarnation) override;

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
  /// Requests each next stage (part of the gradient's computation) whose parameters have arrived.
  void go_on_computing(Instant now, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void push(const GradientStage& stage, Effects& effects);
  void receive(Instant now, NodeId from, Message message, Effects& effects);
  [[nodiscard]] bool in_turn(NodeId from, const Message& message) const;
  /// Requests a bucket, in a process that replaces a lost one.
  void pull(std::uint32_t index, Effects& effects);
  void pulled(Instant now, const Message& message, Effects& effects);
  void put(std::uint32_t index, Payload values, Effects& effects);
  void put_deferred(Effects& effects);
  [[nodiscard]] bool may_end_step() const;
  void end_step(Instant now, Effects& effects);
  void report_step(Effects& effects);
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, bool final, Effects& effects);
  /// The target is reached: waits for the servers to end the training.
  void stop(Effects& effects);
  /// Continues after a step, or after the servers have ended the training.
  void go_on(Instant now, Effects& effects);
  [[nodiscard]] bool over() const { return last_values_ == buckets_.size(); }
  struct SparseView;
  /// The input of a gradient, or of an evaluation: all parameters if dense; if sparse, the `part`
  /// (`values` or `view`) of all buckets, concatenated.
  [[nodiscard]] Payload parameters_held(Payload SparseView::*part, Effects& effects) const;
  [[nodiscard]] bool fits(const Payload& values, const Bucket& bucket) const;
  /// Decides whether this node evaluates after the step that begins; sets when it does so next.
  /// Called before the step's pushes, because those of a sparse model then ask for all parameters.
  [[nodiscard]] bool begins_evaluated_step();

  /// A checkpoint is due: saves the state of this worker, and waits for answers meanwhile. Servers
  /// send these after they have saved their own states; nothing else is outstanding.
  void keep(NodeId from, const Message& cut, Effects& effects);

  /// The state of a bucket at this worker.
  struct BucketView {
    Version version{};
    Step pushed{};         // the step of its last push
    bool awaited = false;  // its answer is outstanding
    bool last = false;     // the values are its last ones
  };
  /// Additional state of a bucket with a sparse model.
  struct SparseView {
    Payload values;  // received last: the whole bucket, or the requested parameters
    Payload view;    // the parameters that the gradient reads
  };
  /// Final values of a bucket, put aside while a job may read the old ones; at most one per bucket.
  struct Deferred {
    std::uint32_t bucket;
    Payload values;
  };

  std::shared_ptr<const Training> training_;
  NodeId id_;
  WorkerCompute worker_compute_;
  State state_ = State::idle;
  Step step_;
  /// Step number of the current pushes: counts all gradients so far except dropped ones, so pushes
  /// that count for a bucket have different numbers. `step_` stops when the first bucket is over.
  Step number_;
  HeldParameters parameters_;  // dense
  std::vector<BucketView> buckets_;
  std::vector<SparseView> sparse_;  // by bucket; empty if dense
  std::vector<Deferred> deferred_;
  std::size_t awaited_ = 0;      // buckets whose push is not answered
  std::size_t last_values_ = 0;  // buckets that have their last values
  bool counted_ = false;         // an update of the first bucket took this step's push
  bool dropped_ = false;         // this step's push to the first bucket was too late

  StepClock clock_;
  GradientProgress gradient_;
  std::int64_t staleness_ = 0;
  Evaluator evaluator_;
  std::int64_t evaluated_ = 0;  // evaluations reported
  Version evaluation_due_;      // version of the next evaluation; 0: not known yet
  bool evaluates_ = false;      // after the current step
  bool restored_ = false;       // from a checkpoint, and not started since
  std::int64_t incarnation_ = 1;
};

}  // namespace foretrain
