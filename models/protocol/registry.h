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
  bool distributed;  ///< uses several workers and servers; else one worker and nobody else
  /// Equal inputs to a scenario end in bitwise equal weights, whatever the timing.
  bool deterministic;
  std::unique_ptr<Node> (*make_node)(std::shared_ptr<const Training> training, NodeId id);
};

const std::vector<Protocol>& protocols();
/// The protocol called `name`, or null.
const Protocol* find_protocol(std::string_view name);

/// The program of node `id` in `training`.
std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id);

}  // namespace foretrain
