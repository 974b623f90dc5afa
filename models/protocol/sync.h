// Synchronous SGD with a parameter server.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
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
  };
  struct Gathering {
    ShardBucket bucket;
    std::vector<Arrival> arrivals;  // by worker
    int missing = 0;
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
  // Checkpoints (sync_cut.cpp):

  /// A cut is due after this version.
  [[nodiscard]] bool is_cut(Version version);
  /// The timer rang: after a step that no bucket has seen.
  void cut_soon();
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
  ServerCut cut_;
  std::optional<std::int64_t> next_cut_;  // by time: the version
};

/// Its nodes: a Worker each, and SyncServers; with backup workers BackupServers.
Protocol sync_protocol();

}  // namespace foretrain
