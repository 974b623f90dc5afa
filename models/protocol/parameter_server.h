// The server of a training, which follows the rule of its strategy.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/node.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/server_queue.h"
#include "models/protocol/training.h"
#include "models/protocol/update_rule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// Holds the buckets of a shard. A worker pushes its gradient of a bucket, then waits for the
/// answer:
///
///     worker -> server    push                its gradient of the values at `version`
///     server              makes an update as soon as it has the gradients that the rule requires
///     server -> worker    parameters          new values, when the rule lets the worker continue
///     server -> worker    final_parameters    the values after the last update
///     server -> worker    stop                the same, to a worker that waits for no answer
///     server -> worker    dropped             new values: the gradient came too late
///     chief -> server     enough              the target is reached: there is no further update
///
/// In each bucket a push is first `waiting`, until an update takes it; then `applying`, during the
/// job of that update; then `held`, until the rule, or a checkpoint, lets its worker continue.
///
/// parameter_server.cpp contains the algorithm, server_choice.cpp the choice of gradients with
/// backup workers, the same at all shards, server_checkpoint.cpp the checkpoints (server_cut.h),
/// server_membership.cpp the loss and return of workers.
class ParameterServer : public Node, public Buffering {
 public:
  ParameterServer(std::shared_ptr<const Training> training, NodeId id, const UpdateRule& rule);

  void handle(Instant now, Input input, Effects& effects) override;
  /// The server has applied all gradients of the cut and answered no worker.
  void restore(StateReader& state) override;

 private:
  using Queue = ServerQueue;
  using Push = Queue::Push;
  using Decision = Queue::Decision;
  using Standing = Queue::Standing;
  using HeldAnswer = Queue::HeldAnswer;
  using Workers = Queue::Workers;

  // The algorithm (parameter_server.cpp):

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  [[nodiscard]] bool is_in_turn(const Queue& queue, std::uint32_t worker,
                                const Message& push) const;
  /// Begins the next update of this bucket if its gradients have arrived.
  void go_on(Instant now, Queue& queue, Effects& effects);
  /// The workers whose gradients make the next update; empty if these have not all arrived.
  [[nodiscard]] Workers next(const Queue& queue) const;
  [[nodiscard]] static Workers next_in_clock(const Queue& queue);
  void begin(Instant now, Queue& queue, const Workers& chosen, Effects& effects);
  void applied(Instant now, Queue& queue, Effects& effects);
  /// All gradients that count have been applied.
  [[nodiscard]] bool is_full(const Queue& queue) const;
  /// Answers the workers that may continue.
  void release(Instant now, Queue& queue, Effects& effects);
  [[nodiscard]] bool may_go_on(const Queue& queue, std::uint32_t worker) const;
  [[nodiscard]] static std::int64_t lead(const Queue& queue, std::uint32_t worker) {
    return queue.clocks.of(worker) - queue.clocks.slowest();
  }
  /// `values` are those of this bucket at `version`.
  void answer(Instant now, Queue& queue, Push& push, MessageKind kind, const Payload& values,
              Version version, Effects& effects);
  /// Informs a worker that waits for no answer of the end.
  void send_last_values(const Queue& queue, std::uint32_t worker, Effects& effects) const;
  /// The chief has reached the target.
  void stop(Instant now, NodeId from, Step step, Effects& effects);
  /// `at` is the time of the last update.
  void announce_end(Instant at, Queue& queue, Effects& effects);
  /// Drops the waiting push of this worker: no update takes it.
  void drop(Queue& queue, std::uint32_t worker);
  void let_go(const Queue& queue, const Push& push) {
    buffered_.let_go(push.counted ? queue.bucket.values().size() : push.payload.size());
  }
  /// Each update takes a gradient of every worker.
  [[nodiscard]] bool takes_all() const { return rule_.in_step && !chooses(); }

  // Backup workers (server_choice.cpp): shard 0 decides which gradients make a step, and all other
  // shards follow its decisions in their order.

  /// Some gradients of a step are left out.
  [[nodiscard]] bool chooses() const { return rule_.chooses(training_->workers); }
  /// A gradient of `worker` has arrived.
  void came(Instant now, Queue& queue, std::uint32_t worker, Effects& effects);
  /// Shard 0: a gradient of `worker` has arrived.
  void choose(Instant now, std::uint32_t worker, Effects& effects);
  /// Shard 0 informs the others; each bucket acts on the decision when its turn comes.
  void decide(Instant now, const Decision& decision, Effects& effects);
  /// Acts on the decisions up to the next step; returns the workers of that step.
  [[nodiscard]] Workers next_chosen(Instant now, Queue& queue, Effects& effects);
  /// The gradients of these workers for the next step have arrived.
  [[nodiscard]] bool is_here(const Queue& queue, const Workers& chosen, Effects& effects) const;
  /// Drops the gradient of `worker`, which gets the current values.
  void dismiss(Instant now, Queue& queue, std::uint32_t worker, Effects& effects);
  void send_on(Instant now, Queue& queue, std::uint32_t worker, Effects& effects);
  [[nodiscard]] Message encoded(const Decision& decision) const;
  [[nodiscard]] std::optional<Decision> decoded(const Message& message) const;

  // Membership (server_membership.cpp): lost workers, and the processes that replace them.

  void mark_lost(Instant now, NodeId peer, Effects& effects);
  /// No later update takes the pushes of a lost worker.
  void forget(Queue& queue, std::uint32_t worker);
  /// `push` comes from an earlier process of this worker.
  [[nodiscard]] bool is_late(const Queue& queue, std::uint32_t worker, const Message& push) const;
  /// The process of this worker that this bucket knows is lost.
  [[nodiscard]] bool is_gone(const Queue& queue, std::uint32_t worker) const;
  [[nodiscard]] bool listens(const Queue& queue, std::uint32_t worker) const;
  [[nodiscard]] bool takes_part(const Queue& queue, std::uint32_t worker) const;
  [[nodiscard]] bool all_take_part(const Queue& queue) const;
  void pulled(Instant now, NodeId from, const Message& pull, Queue& queue, Effects& effects);
  /// A pull is added to the held pushes; with backup workers, by a decision. False if out of turn.
  bool come_back(Instant now, Queue& queue, Push& pull, Effects& effects);
  bool ask_to_return(Instant now, Queue& queue, Push& pull, Effects& effects);
  /// Later decisions refer to the process of the worker in `decision`.
  void readmit(Queue& queue, const Decision& decision, Effects& effects);
  void welcome(Queue& queue, std::uint32_t worker, Effects& effects);

  // Checkpoints (server_checkpoint.cpp): shard 0 holds answers until all workers wait for one.

  void rang();
  void note_cut(const Queue& queue);
  /// Answers of this bucket are held for a cut.
  [[nodiscard]] bool is_held(const Queue& queue) const;
  /// Announces a cut when all workers wait for it; saves the state when it has reached the cut.
  void look_at_cut(Instant now, Effects& effects);
  [[nodiscard]] bool all_wait() const;
  [[nodiscard]] bool is_as_wanted(const Queue& queue) const;
  /// The cut was announced before a worker was lost: this server will never reach its state.
  [[nodiscard]] bool is_outdated() const;
  [[nodiscard]] std::vector<std::int64_t> clocks() const;
  [[nodiscard]] std::string state() const;
  [[nodiscard]] Push restored(StateReader& state, Queue& queue, std::uint32_t worker);
  void give_up_cut(Instant now, Effects& effects);
  /// All nodes have saved their states of the cut, or it is given up.
  void end_cut(Instant now, Effects& effects);
  void count_held(Queue& queue);

  std::shared_ptr<const Training> training_;
  UpdateRule rule_;
  std::int64_t updates_;       // the last version of a bucket
  std::vector<Queue> queues_;  // one for each bucket of this shard
  std::size_t over_ = 0;       // buckets that are over
  std::int64_t dropped_ = 0;
  std::int64_t most_lead_ = 0;
  bool enough_ = false;  // the target is reached
  Instant last_update_;
  std::vector<WorkerIncarnation> incarnations_;  // by worker
  ServerCut cut_;
  std::optional<Version> cutting_;  // shard 0: answers of this version are held; not in step: all
  // Shard 0, with backup workers:
  Workers complete_;            // workers with a gradient of the next step, by arrival
  std::int64_t decisions_ = 0;  // steps that are decided
};

}  // namespace foretrain
