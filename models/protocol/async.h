// Asynchronous SGD with a parameter server.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/clocks.h"
#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/seat.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// `training.quota`: when the training ends.
extern const Option kQuota;
inline constexpr std::string_view kOwnQuota = "own";

/// Applies every gradient as it comes and answers its worker alone:
///
///     w_{t+1} = w_t - rate * g_n(w_{t - staleness})
///
/// (Dean, Corrado, Monga and others 2012, Downpour SGD; that stale gradients need not hurt: Recht,
/// Re, Wright, Niu 2011). A step of a bucket, which travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies it when those that came before are applied
///     server -> worker n    parameters    w_{t+1}; where it is over, final_parameters, or stop to
///                                         who waits for none
///
/// A worker's step costs what a step of sync does, in messages and in bytes, and the servers apply
/// N times as often: an update costs 4 P bytes of gradient in, 4 P of parameters out, one apply.
///
/// Nobody waits for anybody, and a gradient may be stale: `staleness` updates of others came
/// between its worker's read and its own application. Each of N workers always holds one read that
/// is not applied yet, so the mean staleness is N - 1 for any distribution of step times.
///
/// The training ends when workers x steps gradients have been accepted, whoever sent them; what
/// comes later is dropped and counted. With a quota of its own (`quota: own`) a worker that has
/// done its steps waits for the others instead.
///
/// It ends, too, where the chief says that the target is reached: what is being applied then still
/// is, nothing else. Shards may have come to different numbers of updates; the first speaks for
/// all.
///
/// A worker that is lost is not waited for any more, and what it pushed is dropped where it was not
/// applied yet. The chief cannot be lost: the weights in the end are its. Another process may take
/// the place of one that was lost:
///
///     worker n -> server    pull          of the first bucket, then, numbered, of all others
///     server -> worker n    parameters    as if it had pushed; of the first bucket `step` says
///                                         which number its first step has
///
/// It counts again, in each bucket, once its pull is here, with that number as its clock. No step
/// of those before it had it: what of theirs still comes is known by a lower one, dropped and
/// counted. What it had under way is lost, also of a quota of its own.
class AsyncServer : public Node, public Buffering {
 public:
  /// The last update, what was dropped, the most that one was ahead; clock, staleness, numbers
  /// that were left out of the clock.
  static constexpr ServerState kState{3, 3, false};

  AsyncServer(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;
  /// It has applied what was pushed, and answered nobody.
  void restore(StateReader& state) override;

 protected:
  /// A push, where it has got to.
  struct Arrival {
    NodeId from{};
    Instant at;
    Message push;
    std::int64_t staleness = 0;  // once it is applied: with how long it took
    Duration wait{};
    Duration apply{};
    bool orphaned = false;  // being applied when its worker was lost: it counts, nobody is answered
  };
  /// A bucket with those who want something of it.
  struct Queue {
    Queue(ShardBucket of, int workers)
        : bucket(std::move(of)),
          clocks(workers),
          skipped(static_cast<std::size_t>(workers)),
          pushed(static_cast<std::size_t>(workers)) {}

    ShardBucket bucket;
    std::deque<Arrival> arrivals;       // not applied yet
    std::vector<Arrival> held;          // applied, not answered yet
    Clocks clocks;                      // pushes that were applied
    std::vector<std::int64_t> skipped;  // by worker: of its clock what no update stands for
    std::vector<bool> pushed;           // by worker: a push of it is here, not answered yet
    std::int64_t released_at = 0;       // the slowest clock when all that are held were looked at
    std::optional<Arrival> applying{};
    Instant apply_start{};
    bool over = false;  // everybody has been told
    Bytes counted{};    // of its pushes, as held
  };

  // What strategies of this family differ in:

  /// Which of the arrivals is applied next; none: they wait.
  [[nodiscard]] virtual std::optional<std::size_t> next(const Queue& queue) const;
  /// `worker`, whose push was applied, may have its answer.
  [[nodiscard]] virtual bool may_go_on(const Queue& queue, int worker) const;
  /// The number of the first step of a worker that comes back: above those it had.
  [[nodiscard]] virtual std::int64_t first_step(const Queue& queue, int worker) const;

  /// How many more of its gradients were applied than of the slowest worker.
  [[nodiscard]] static std::int64_t lead(const Queue& queue, int worker) {
    return queue.clocks.of(static_cast<std::size_t>(worker)) - queue.clocks.slowest();
  }

 private:
  void receive(Instant now, NodeId from, Message message, Effects& effects);
  /// It was sent by a process of this worker that is gone.
  [[nodiscard]] bool is_late(const Queue& queue, NodeId from, const Message& push) const;
  void pulled(Instant now, NodeId from, const Message& pull, Queue& queue, Effects& effects);
  void apply_next(Instant now, Queue& queue, Effects& effects);
  void applied(Instant now, Queue& queue, Effects& effects);
  /// All gradients that count have been applied.
  [[nodiscard]] bool is_full(const Queue& queue) const;
  void release(Queue& queue, Effects& effects);
  void lose(Instant now, NodeId peer, Effects& effects);
  /// The target is reached.
  void stop(NodeId from, Effects& effects);
  static void answer(Queue& queue, const Arrival& arrival, bool last, Effects& effects);
  /// What is told to who waits for no answer, when it is over.
  [[nodiscard]] static Message last_values(const Queue& queue);
  // Checkpoints (server_cut.h): the first bucket's answers are held until everybody waits for one.

  /// Goes on with a cut that is due, as far as it is.
  void look_at_cut(Effects& effects);
  [[nodiscard]] bool may_cut() const;
  [[nodiscard]] bool is_as_wanted(const Queue& queue) const;
  /// It cannot be as wanted any more: it was announced before a worker was lost.
  [[nodiscard]] bool is_past_cut() const;
  [[nodiscard]] std::string state() const;
  void end_cut(Effects& effects);
  /// Its pushes have changed: counts them as held.
  void count(Queue& queue);
  /// `at`: its last update.
  void announce_end(Instant at, Queue& queue, Effects& effects);

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::vector<Queue> queues_;  // one a bucket of this shard
  std::int64_t quota_;
  bool own_quota_;  // each worker has one: its steps
  std::int64_t dropped_ = 0;
  std::int64_t most_lead_ = 0;
  std::size_t complete_ = 0;  // buckets that are over
  bool enough_ = false;       // the target is reached
  Instant last_update_;
  Seats seats_;
  ServerCut cut_;
  bool cutting_ = false;  // nobody is answered of the first bucket
};

/// Its nodes: a Worker each, and AsyncServers.
Protocol async_protocol();

}  // namespace foretrain
