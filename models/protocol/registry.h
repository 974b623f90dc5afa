// The protocols by name: a new one is a file beside this one, plus a line in registry.cpp.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A strategy of distributed SGD: the programs of its nodes.
struct Protocol {
  std::string_view name;
  bool several_workers;   ///< else one
  bool servers;           ///< at least one; else none
  bool dense;             ///< gradients travel as full vectors, also of a sparse model
  bool update_each;       ///< every gradient is an update of its own; else a step of all makes one
  std::string_view keys;  ///< the ProtocolOptions that it reads, as a scenario calls them
  /// Equal inputs to a scenario end in bitwise equal weights, whatever the timing.
  bool (*deterministic)(const ProtocolOptions& options);
  /// Of so many workers, how many may be lost and the rest goes on; never the chief, whose weights
  /// are the result, never a server.
  int (*most_lost)(const ProtocolOptions& options, int workers);
  /// Nodes `a` and `b` talk to each other.
  bool (*linked)(const Training& training, NodeId a, NodeId b);
  std::unique_ptr<Node> (*make_node)(std::shared_ptr<const Training> training, NodeId id);
};

/// The scenario's key `key` means something to this protocol.
bool reads(const Protocol& protocol, std::string_view key);

const std::vector<Protocol>& protocols();
/// The protocol called `name`, or null.
const Protocol* find_protocol(std::string_view name);

/// Node `id` may be lost now that `lost` nodes have been, and the training goes on.
bool may_lose(const Training& training, NodeId id, int lost);

/// The nodes that `id` talks to, ascending.
std::vector<NodeId> peers_of(const Training& training, NodeId id);

/// The program of node `id` in `training`.
std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id);

}  // namespace foretrain
