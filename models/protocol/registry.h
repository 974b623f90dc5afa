// The strategies by name: a new one is a file beside this one with its line in registry.cpp.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <memory>
#include <string_view>
#include <vector>

namespace foretrain {

const std::vector<Protocol>& protocols();
/// The protocol called `name`, or null.
const Protocol* find_protocol(std::string_view name);
/// The protocol called `name`, which there is.
const Protocol& protocol_called(std::string_view name);
/// That of one worker alone, which nothing but its compute costs time.
const Protocol& protocol_alone();

/// The options of all protocols, each once, in the order of the protocols.
const std::vector<const Option*>& protocol_options();
/// The protocol has this option.
bool reads(const Protocol& protocol, const Option& option);

/// Node `id` may be lost now that `lost` nodes have been, and the training goes on.
bool may_lose(const Training& training, NodeId id, int lost);

/// Where it has been lost, another process may take the place of node `id`.
bool may_come_back(const Training& training, NodeId id);

/// Where node `id` is lost now that `lost` nodes have been, nobody goes on: its state is gone with
/// it, and what the others have is of another step. But they wait for another process in its place
/// (Training::return_limit), with which all begin again from the newest checkpoint.
bool begins_again(const Training& training, NodeId id, int lost);

/// The nodes that `id` talks to, ascending.
std::vector<NodeId> peers_of(const Training& training, NodeId id);

/// The program of node `id` in `training`.
std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id);

}  // namespace foretrain
