// Asynchronous SGD with a parameter server.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/shard.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace foretrain {

/// Applies every gradient as it comes and answers its worker alone:
///
///     w_{t+1} = w_t - rate * g_n(w_{t - staleness})
///
/// Nobody waits for anybody, and a gradient may be stale: `staleness` updates of others came
/// between its worker's read and its own application. Each of N workers always holds one read that
/// is not applied yet, so the mean staleness is N - 1 for any distribution of step times.
///
/// Workers share the quota of workers x steps gradients: the training ends when that many have
/// been accepted, whoever sent them; what comes later is dropped and counted.
class AsyncServer : public Node {
 public:
  AsyncServer(std::shared_ptr<const Training> training, NodeId id);

  void handle(Instant now, Input input, Effects& effects) override;

 private:
  struct Arrival {
    NodeId from{};
    Instant at;
    Message push;
  };
  struct Queue {
    ShardBucket bucket;
    std::deque<Arrival> arrivals;  // the first is being applied
    Instant apply_start;
  };

  void receive(Instant now, NodeId from, Message message, Effects& effects);
  void apply_first(Instant now, Queue& queue, Effects& effects);
  void answer(Instant now, Queue& queue, Effects& effects);
  void call_over(const Queue& queue, NodeId answered, Effects& effects);

  std::shared_ptr<const Training> training_;
  std::vector<Queue> queues_;  // one a bucket of this shard
  std::int64_t quota_;
  std::int64_t dropped_ = 0;
  std::size_t complete_ = 0;  // buckets whose quota is full
};

/// The program of node `id`: a Worker or an AsyncServer.
std::unique_ptr<Node> make_async_node(std::shared_ptr<const Training> training, NodeId id);

}  // namespace foretrain
