// Synchronous SGD without servers: gradients are summed round a ring of workers.
#pragma once

#include "models/protocol/held_parameters.h"
#include "models/protocol/judge.h"
#include "models/protocol/learner.h"
#include "models/protocol/node.h"
#include "models/protocol/shard.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// Every bucket has an owner, worker o of N, and goes round the ring twice:
///
///     reduce-scatter   o+1 sends its gradient of the bucket to o+2, which adds its own and sends
///                      the sum on, ... until the sum of all others reaches o
///     apply            o adds its own, applies the mean to its copy of the bucket
///     all-gather       the new values go from o to o+1, ... until o-1 has them
///
/// Buckets are dealt round, so at any time every worker sends to the next one, receives from the
/// one before: each moves 2 (N - 1) / N of the parameters in each direction, which no algorithm
/// goes below (Patarasuk, Yuan 2009). Applying between the two rounds, each worker its own part,
/// takes 1 / N of the time and of the optimizer's memory that applying everywhere after an
/// all-reduce would take, for the same numbers (Rajbhandari, Rasley, Ruwase, He 2020).
///
/// The sum of a bucket runs in the order of the ring from its owner's successor, so weights are a
/// function of the seed, whatever the timing. A worker may be one step ahead of its successor.
///
/// Of a step, `wait` is what passes between the worker's gradient and the first sum that reaches
/// it: what the slowest holds up; `apply` is the time of its reductions and updates.
class AllReduceWorker : public Node {
 public:
  AllReduceWorker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;

 private:
  enum class State { idle, computing, reducing, evaluating, judging, finished };
  /// Where a bucket is in this worker's step: its gradient is computed; ready; in the sum; its new
  /// values are here.
  enum class Stage { computing, ready, summed, done };
  struct Part {
    std::optional<ShardBucket> own;  // of the owner
    Stage stage = Stage::computing;
    std::optional<Payload> early;     // a sum that came before this worker's gradient
    Payload sum;                      // with this worker's gradient added, before it is sent on
    std::optional<Payload> incoming;  // values that came while others were computed
    Instant job_start;
  };

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  void stage_computed(Instant now, std::size_t stage, Effects& effects);
  /// This worker's gradient of the bucket is ready.
  void begin_ring(Instant now, std::uint32_t index, Effects& effects);
  /// This worker's gradient of the bucket joins `sum`.
  void reduce(Instant now, std::uint32_t index, Payload sum, Effects& effects);
  void apply(Instant now, std::uint32_t index, std::vector<Payload> sums, Effects& effects);
  void new_values(Instant now, std::uint32_t index, const Payload& values, Effects& effects);
  void end_step(Instant now, Effects& effects);
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  void finish(Effects& effects);
  void send_on(MessageKind kind, std::uint32_t index, Payload payload, Effects& effects);

  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  [[nodiscard]] int after(int worker) const { return (worker + 1) % training_->workers; }
  [[nodiscard]] int owner(std::uint32_t index) const {
    return training_->layout->buckets[index].shard;
  }
  /// The worker that the sum of a bucket begins with.
  [[nodiscard]] bool begins(std::uint32_t index) const { return rank() == after(owner(index)); }
  [[nodiscard]] bool in_turn(NodeId from, const Message& message) const;
  [[nodiscard]] bool last_step() const { return step_.value == training_->steps; }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  Learner learner_;
  HeldParameters parameters_;
  std::vector<Part> parts_;
  State state_ = State::idle;
  Step step_;
  std::size_t done_ = 0;  // buckets that have their new values

  StepClock clock_;
  double loss_ = 0;
  Instant computed_at_;
  std::optional<Instant> first_sum_;  // of this step
  Duration applying_{};
  Bytes moved_{};  // in each direction
  Instant last_update_;
  Judge judge_;
};

/// Whether two workers are neighbours in the ring.
bool linked_in_ring(const Training& training, NodeId a, NodeId b);

std::unique_ptr<Node> make_all_reduce_node(std::shared_ptr<const Training> training, NodeId id);

}  // namespace foretrain
