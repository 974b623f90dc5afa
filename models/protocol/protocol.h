// The description of a strategy of distributed SGD, given in the strategy's own file.
#pragma once

#include "models/protocol/message.h"
#include "models/protocol/node.h"
#include "models/protocol/options.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// An option that does not fit the other options, although it is within its own range.
struct WrongOption {
  const Option* option;
  std::string what;  ///< what is wrong and what to write instead
};

/// The number of integers in the state of a server, besides its buckets.
struct ServerState {
  int counts = 0;     ///< before the buckets: times, counters; the largest of all servers counts
  int of_worker = 0;  ///< after each bucket, a worker; the first is equal in all buckets at a cut
  bool one_version = true;  ///< all buckets have the same number of updates at a cut
};

/// All that other code has to know of a strategy. Code that drives, forecasts or reports a training
/// asks only here: no strategy's name appears outside models/protocol and scenarios.
struct Protocol {
  std::string_view name;
  std::string_view doc;         ///< for help and editors; one line
  bool several_workers = true;  ///< false: always one
  bool servers = false;         ///< at least one server; else none
  /// No worker passes an update before all workers have contributed to it.
  bool synchronous = true;
  /// Without servers: worker 0 owns all buckets and exchanges with each other worker; it sends
  /// means of gradients, which every worker applies. One bucket is under way at a time.
  bool rooted = false;
  bool dense = false;   ///< gradients travel as full vectors, even those of a sparse model
  bool shards = false;  ///< workers may hold parts of gradients or parameters (Training::sharded)
  std::vector<const Option*> options{};

  /// The kinds of message that its nodes send.
  std::vector<MessageKind> messages{};
  /// The kinds of message that bring a worker an update made at another worker.
  std::vector<MessageKind> brings_update{};
  /// The strategy to compare it with under otherwise equal conditions; empty if none.
  std::string_view weighed_against{};
  /// A clause that says why the same number of gradients trains a different model than synchronous
  /// SGD, whose updates are means of gradients of the same parameters. Empty if it does not.
  std::string_view statistical_efficiency{};

  /// Equal scenarios end in bitwise equal weights, whatever the timing.
  bool (*deterministic)(const ProtocolOptions& options) = [](const ProtocolOptions&) {
    return true;
  };
  /// The number of gradients in an update of the parameters.
  std::int64_t (*gradients_an_update)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int workers) { return std::int64_t{workers}; };
  /// The number of gradients that one `apply` job takes.
  std::int64_t (*gradients_an_apply)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int workers) { return std::int64_t{workers}; };
  /// Workers average their parameters once in this many steps; 0 if never.
  std::int64_t (*steps_an_averaging)(const ProtocolOptions& options) = [](const ProtocolOptions&) {
    return std::int64_t{0};
  };
  /// The cost of averaging at the owner of a bucket: it adds `addends` sums, its own included.
  Cost (*averaging_cost)(const ProtocolOptions& options, std::int64_t parameters,
                         std::int64_t addends) = nullptr;
  /// Whether an update leaves some gradients of its step out (backup workers).
  [[nodiscard]] bool drops(const ProtocolOptions& chosen, int workers) const {
    return synchronous && gradients_an_update(chosen, workers) < workers;
  }
  /// How many of `workers` workers may be lost without ending the training; the chief, which has
  /// the resulting weights, and the servers may never be lost.
  int (*most_lost)(const ProtocolOptions& options, int workers) = [](const ProtocolOptions&, int) {
    return 0;
  };
  /// A lost worker other than the chief may come back as another process: its program is called
  /// with `Node::rejoin`, its peers get `PeerBack`.
  bool (*takes_back)(const ProtocolOptions& options) = [](const ProtocolOptions&) { return false; };
  /// The condition under which `takes_back` is true, as "with ..."; empty if it is always true.
  std::string_view takes_back_with{};
  std::optional<WrongOption> (*wrong)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int) { return std::optional<WrongOption>(); };
  /// Parameters whose optimizer state node `id` holds. Null means those of its shard: the server's
  /// shard, or the part that a worker owns if there are no servers.
  std::int64_t (*updated_by)(const Training& training, NodeId id) = nullptr;
  /// Bytes that node `id` holds besides parameters, optimizer state and what a gradient takes. Null
  /// if none.
  Bytes (*kept_by)(const Training& training, NodeId id) = nullptr;
  /// Null if there are no servers.
  ServerState (*server_state)(const ProtocolOptions& options) = nullptr;
  /// Nodes `a` and `b` are connected. Null means that no nodes are.
  bool (*linked)(const Training& training, NodeId a, NodeId b) = nullptr;
  std::unique_ptr<Node> (*make_node)(const std::shared_ptr<const Training>& training,
                                     NodeId id) = nullptr;
};

}  // namespace foretrain
