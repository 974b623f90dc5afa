// A strategy of distributed SGD as it describes itself, in its own file.
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

/// Options of which one is wrong beside the others, where no range of its own says so.
struct WrongOption {
  const Option* option;
  std::string what;  ///< what is wrong, what to write instead
};

/// Of what the state of a server consists, beside its buckets, as integers.
struct ServerState {
  int counts = 0;     ///< before them: times, numbers; of several servers the largest counts
  int of_worker = 0;  ///< behind each bucket, for each worker; at a cut the first is alike in all
  bool one_version = true;  ///< at a cut all buckets have seen as many updates
};

/// All that others have to know of a strategy. Whoever drives, forecasts or reports a training asks
/// here and nowhere else: no strategy's name stands outside models/protocol and scenarios.
struct Protocol {
  std::string_view name;
  std::string_view doc;         ///< for help and editors; one line
  bool several_workers = true;  ///< else one
  bool servers = false;         ///< at least one; else none
  /// No worker goes on from an update before all have given their part to it.
  bool synchronous = true;
  bool dense = false;   ///< gradients travel as full vectors, also of a sparse model
  bool shards = false;  ///< workers may have gradients, parameters in parts (Training::sharded)
  std::vector<const Option*> options{};

  /// The kinds of message that its nodes send.
  std::vector<MessageKind> messages{};
  /// Of them, those that bring a worker an update which was made at another worker.
  std::vector<MessageKind> brings_update{};
  /// The strategy that people weigh it against, all else equal; empty: none.
  std::string_view weighed_against{};
  /// Why as many gradients teach it something else than synchronous SGD, whose updates are means of
  /// gradients by the same parameters: a clause. Empty: they do not.
  std::string_view statistical_efficiency{};

  /// Equal inputs to a scenario end in bitwise equal weights, whatever the timing.
  bool (*deterministic)(const ProtocolOptions& options) = [](const ProtocolOptions&) {
    return true;
  };
  /// Gradients that make an update of the parameters.
  std::int64_t (*gradients_an_update)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int workers) { return std::int64_t{workers}; };
  /// Gradients that an `apply` job takes in.
  std::int64_t (*gradients_an_apply)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int workers) { return std::int64_t{workers}; };
  /// In one of so many steps workers average their parameters; 0: they never do.
  std::int64_t (*steps_an_averaging)(const ProtocolOptions& options) = [](const ProtocolOptions&) {
    return std::int64_t{0};
  };
  /// What the owner of a bucket does then, with so many sums of others and of its own part.
  Cost (*averaging_cost)(const ProtocolOptions& options, std::int64_t parameters,
                         std::int64_t addends) = nullptr;
  /// Of so many workers, how many may be lost and the rest goes on; never the chief, whose weights
  /// are the result, never a server.
  int (*most_lost)(const ProtocolOptions& options, int workers) = [](const ProtocolOptions&, int) {
    return 0;
  };
  /// A worker that was lost, other than the chief, may come back as another process: `Node::rejoin`
  /// of its program, `PeerBack` to its peers.
  bool (*takes_back)(const ProtocolOptions& options) = [](const ProtocolOptions&) { return false; };
  /// What that takes of a scenario, where it does not always: "with ..."; empty: nothing.
  std::string_view takes_back_with{};
  std::optional<WrongOption> (*wrong)(const ProtocolOptions& options, int workers) =
      [](const ProtocolOptions&, int) { return std::optional<WrongOption>(); };
  /// Parameters whose optimizer's state node `id` holds. Null: those of its shard: a server's, or
  /// the part that a worker owns where there are none.
  std::int64_t (*updated_by)(const Training& training, NodeId id) = nullptr;
  /// What node `id` holds beside parameters, that state and what a gradient takes. Null: nothing.
  Bytes (*kept_by)(const Training& training, NodeId id) = nullptr;
  /// Null: there are no servers.
  ServerState (*server_state)(const ProtocolOptions& options) = nullptr;
  /// Nodes `a` and `b` talk to each other. Null: nobody does.
  bool (*linked)(const Training& training, NodeId a, NodeId b) = nullptr;
  std::unique_ptr<Node> (*make_node)(const std::shared_ptr<const Training>& training,
                                     NodeId id) = nullptr;
};

}  // namespace foretrain
