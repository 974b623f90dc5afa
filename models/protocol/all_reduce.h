// Synchronous SGD without servers: workers sum up their gradients among themselves.
#pragma once

#include "models/protocol/held.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/judge.h"
#include "models/protocol/learner.h"
#include "models/protocol/node.h"
#include "models/protocol/route.h"
#include "models/protocol/shard.h"
#include "models/protocol/staged_gradient.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"

#include <boost/container/small_vector.hpp>

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// Every bucket has an owner, and goes twice over all workers:
///
///     sum              worker after worker adds its own gradient to what others have added
///     apply            the owner adds its own last, applies the mean to its copy of the bucket
///     new values       go back from the owner to all
///
/// `route.h` says who sends to whom. Buckets are dealt round, so at any time every worker sends and
/// receives: each moves 2 (N - 1) / N of the parameters in each direction, which no algorithm goes
/// below (Patarasuk, Yuan 2009). Applying in between, each worker its own part, takes 1 / N of the
/// time and of the optimizer's memory that applying everywhere after an all-reduce would take, for
/// the same numbers (Rajbhandari, Rasley, Ruwase, He 2020).
///
/// The order of a sum is that of the route, so weights are a function of the seed, whatever the
/// timing. A worker begins its next step when the values are here that its first layers read; it
/// may be one step ahead of another.
///
/// Where the chief says that the target is reached, everybody passes that on. No bucket gets
/// further than what the chief judged without its gradient, so each worker ends when all its values
/// are those: with the same weights in any timing.
///
/// Of a step, `wait` is what passes between the worker's gradient and the first sum that reaches
/// it: what the slowest holds up; `apply` is the time of its reductions and updates.
class AllReduceWorker : public Node, public Holder {
 public:
  AllReduceWorker(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;

 private:
  enum class State { idle, computing, reducing, evaluating, judging, finished };
  /// A bucket on its way. Of N workers each has as many of these or more, so it is small.
  struct Part {
    Step step;               // whose sum it is in, or will be
    bool in_sum = false;     // this worker's gradient; then its new values are awaited
    bool has_mine = false;   // the gradient is ready, not in the sum yet
    std::uint32_t here = 0;  // bits: sums that are here, by source; in_sum: of the next step
    Payload mine;            // the gradient; then the sum with it, before that is sent on
    boost::container::small_vector<Payload, 1> sums;  // of the sources
    Instant job_start;
    std::unique_ptr<ShardBucket> own;  // of the owner
  };

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void hear_enough(NodeId from, Step step, Effects& effects);
  /// The target was reached after `step` steps: tells those that this worker talks to, all but
  /// `heard_from`.
  void end_after(Step step, NodeId heard_from, Effects& effects);
  /// Where the target is reached: when all values are those that were judged, no job of this
  /// worker's under way.
  void finish_if_it_may(Effects& effects);
  void computed(Instant now, const Computed& computed, Effects& effects);
  void compute_gradient(Instant now, Effects& effects);
  /// Asks for the stages of the gradient whose values are here.
  void go_on_computing(Instant now, Effects& effects);
  void stage_computed(Instant now, const Computed& computed, Effects& effects);
  /// Where the gradient and all sums of the bucket are here: adds them up.
  void reduce_if_complete(Instant now, std::uint32_t index, Effects& effects);
  void reduce(Instant now, std::uint32_t index, std::vector<Payload> addends, Effects& effects);
  /// They are in place.
  void new_values(Instant now, std::uint32_t index, Effects& effects);
  void end_step_if_it_may(Instant now, Effects& effects);
  /// The values that it reads are here.
  [[nodiscard]] bool first_stage_may_begin();
  void evaluate(Instant now, State state, Effects& effects);
  void report_evaluation(Instant now, const JobResult& result, Effects& effects);
  void go_on(Instant now, Effects& effects);
  void finish(Effects& effects);
  void send(MessageKind kind, std::uint32_t index, int to, Payload payload, Effects& effects);

  [[nodiscard]] Route route_of(std::uint32_t bucket) const {
    return {hypercube_, training_->workers, training_->layout->buckets[bucket].shard, rank()};
  }
  /// The sums of all sources are here.
  [[nodiscard]] static bool all_here(const Part& part) {
    return std::popcount(part.here) == static_cast<int>(part.sums.size());
  }
  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  [[nodiscard]] bool in_turn(NodeId from, const Message& message, const Route& route) const;
  [[nodiscard]] bool is_evaluated(Step step) const;
  /// Its gradient is not wanted any more.
  [[nodiscard]] bool beyond_end() const { return step_.value >= last_step_; }

  std::shared_ptr<const Training> training_;
  NodeId id_;
  Learner learner_;
  HeldParameters parameters_;
  bool hypercube_;
  std::vector<Part> parts_;
  State state_ = State::idle;
  Step step_;
  std::int64_t last_step_;         // after so many it ends
  bool enough_ = false;            // because the target is reached
  int jobs_ = 0;                   // under way
  std::size_t renewed_ = 0;        // buckets that have the new values of this step
  std::size_t first_renewed_ = 0;  // of those that the first stage needs: so many, in their order

  StepClock clock_;
  StagedGradient gradient_;
  Instant computed_at_;
  std::optional<Instant> first_sum_;  // of this step
  Duration applying_{};
  Bytes moved_{};  // in each direction
  Instant last_update_;
  Judge judge_;
};

std::unique_ptr<Node> make_all_reduce_node(std::shared_ptr<const Training> training, NodeId id);

}  // namespace foretrain
