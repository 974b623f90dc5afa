// Synchronous SGD with a parameter server.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/seat.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// Holds every step until each worker's gradient is here, applies their mean, and answers all:
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
/// (Li, Andersen, Park and others 2014; its barrier costs what Chen, Pan, Monga, Bengio, Jozefowicz
/// 2016 measured, and backup.h lowers). A step of a bucket, which travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies the mean, once all N are here
///     server -> worker n    parameters    w_{t+1}; after the last step final_parameters
///
/// Of P parameters in B buckets over S servers, a step costs:
///
///     a worker    B messages, 4 P bytes out; as much in
///     a server    N B / S messages, 4 N P / S bytes in; as much out
///
/// with 64 bytes of header a message. So the servers' network carries N times a worker's: it is
/// what a further server halves. A sparse model sends what a batch touches instead
/// (sparse_payload.h).
///
/// All workers compute on the same parameters, so staleness is zero, and a step is as slow as its
/// slowest worker. The sum is taken in the order of the workers, whatever the order of arrival:
/// the weights are the same bits in every run and every simulation of a scenario.
/// Buckets are independent of each other; each waits for its own N gradients.
///
/// Where the chief says that the target is reached, all buckets have the version that it evaluated:
/// the next one would need its gradient. So the training ends with the same weights in any timing.
///
/// Where a worker other than the chief is lost, the others wait for it for
/// `Training::rejoin_limit`; zero, the default: that is the end. Another process that takes its
/// place makes the gradient that it had under way again, of the same batch by the same parameters,
/// so the weights are the bits of a training that lost nobody. Buckets may be at step t or t + 1
/// then, in all shards: none is further, for that takes this worker's gradient by all values of t
/// + 1. So a server keeps the values of the version before, and:
///
///     worker n -> server    pull          version t, or the newest where there is none so new
///     server -> worker n    parameters    its values; the worker asks again for the oldest version
///                                         that one of the buckets has, until all are of one
///     worker n -> server    push          of that step. Where the process before had pushed it, it
///                                         is the same bits: one of both counts
///     server -> worker n    parameters    w_{t+1}, at once where it is there; dropped, where the
///                                         process before was answered: it may have reported t
class SyncServer : public Node, public Buffering {
 public:
  /// The last update.
  static constexpr ServerState kState{1, 0};

  SyncServer(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;
  /// It has applied a step, and answered nobody.
  void restore(StateReader& state) override;

 private:
  /// A worker's gradient of the step that a bucket is gathering.
  struct Arrival {
    bool here = false;
    Instant at;
    Payload push;
    std::int64_t generation = 1;  // which process of it has sent that
  };
  /// How a worker stands with a bucket.
  struct Standing {
    std::int64_t generation = 1;  // which process of it has begun here
    Version told;                 // that a process of it was sent last, as an answer
  };
  struct Gathering {
    ShardBucket bucket;
    std::vector<Arrival> arrivals;    // by worker
    std::vector<Standing> standings;  // by worker
    int missing = 0;
    Payload before{};  // the values of the version before, where somebody may come back
    Instant apply_start{};
    Instant applied{};
    bool held = false;  // applied, and answered when a cut is kept everywhere
  };

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  /// The gradient joins the step, if it is its turn. False: it is not.
  bool gather(Instant now, NodeId from, Message& push, Gathering& gathering, Effects& effects);
  void apply(Instant now, Gathering& gathering, Effects& effects);
  void applied(Instant now, Gathering& gathering, Effects& effects);
  void answer(Instant now, Gathering& gathering, Effects& effects);
  /// The chief, at its step, has seen enough.
  void stop(NodeId from, Step step, Effects& effects);
  [[nodiscard]] static Message last_values(const Gathering& gathering);
  void finish(std::int64_t updates, Effects& effects);
  // Who comes back (sync_return.cpp):

  void lose(Instant now, NodeId peer, Effects& effects);
  /// The limit is over: one is still lost.
  void give_up(TimerId timer, Effects& effects) const;
  void pulled(NodeId from, const Message& pull, Gathering& gathering, Effects& effects);
  /// It is of a process that is gone, or comes after the end.
  [[nodiscard]] bool is_late(NodeId from, const Gathering& gathering) const;
  /// The process before had pushed this, and it is applied.
  [[nodiscard]] bool is_again(NodeId from, const Message& push, const Gathering& gathering) const;
  void answer_again(NodeId from, Message& push, Gathering& gathering, Effects& effects);
  // Checkpoints (sync_cut.cpp):

  /// A cut is due after this version.
  [[nodiscard]] bool is_cut(Version version);
  /// The timer rang: after a step that no bucket has seen.
  void cut_soon(Effects& effects);
  /// The first version that a cut may be of: before it somebody does not wait when all pushes are
  /// here, but makes again what its process before has pushed.
  [[nodiscard]] std::int64_t first_whole() const;
  static constexpr std::int64_t kNotWhole = std::numeric_limits<std::int64_t>::max();
  /// Keeps the state here, where it is as a cut wants it.
  void keep_if_due(Effects& effects);
  [[nodiscard]] std::string state() const;
  /// A cut is kept everywhere; or this is where it went on from.
  void release(Instant now, Effects& effects);

  std::shared_ptr<const Training> training_;
  std::vector<Gathering> gatherings_;  // one a bucket of this shard
  std::size_t complete_ = 0;           // buckets that have seen all steps
  Instant last_update_;
  bool finished_ = false;
  bool enough_ = false;  // the target is reached
  Seats seats_;
  std::vector<TimerId> loss_timers_;      // by worker: of its last loss
  std::vector<std::int64_t> whole_from_;  // by worker: see first_whole
  std::uint64_t losses_ = 0;
  ServerCut cut_;
  std::optional<std::int64_t> next_cut_;  // by time: the version
};

/// Its nodes: a Worker each, and SyncServers; with backup workers BackupServers.
Protocol sync_protocol();

}  // namespace foretrain
