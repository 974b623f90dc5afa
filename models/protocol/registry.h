// The strategies by name: a new one is a file in this folder with its line in registry.cpp.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <memory>
#include <string_view>
#include <vector>

namespace foretrain {

const std::vector<Protocol>& protocols();
/// The protocol named `name`, or null.
const Protocol* find_protocol(std::string_view name);
/// The protocol named `name`, which must exist.
const Protocol& protocol_called(std::string_view name);
/// The protocol of one worker, whose only cost is computation.
const Protocol& protocol_alone();

/// The options of all protocols, each once, in the order of the protocols.
const std::vector<const Option*>& protocol_options();
/// The protocol has this option.
bool reads(const Protocol& protocol, const Option& option);

/// The training continues if node `id` is lost after `lost` other nodes.
bool may_lose(const Training& training, NodeId id, int lost);

/// Another process may take the place of node `id` after its loss.
bool may_come_back(const Training& training, NodeId id);

/// If node `id` is lost after `lost` other nodes, no node can continue: its state is lost, and the
/// states of the others belong to another step. But they wait for a replacement process
/// (Training::return_limit), with which all begin again from the newest checkpoint.
bool begins_again(const Training& training, NodeId id, int lost);

/// The nodes that `id` is connected to, ascending.
std::vector<NodeId> peers_of(const Training& training, NodeId id);

/// The program of node `id` in `training`.
std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id);

}  // namespace foretrain
