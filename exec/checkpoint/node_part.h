// A node's side of checkpoints, which writes or restores its state.
#pragma once

#include "exec/checkpoint/checkpoint.h"
#include "models/protocol/node.h"
#include "scenarios/resolve/prepared.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::exec {

/// A part that was written, or the reason of the failure.
struct WrittenPart {
  std::int64_t cut = 0;
  Part part;
  Duration took;
  std::string wrong;  ///< empty if there was no failure
};

/// The launcher's checkpoint settings for a node, with the operations of the node.
struct NodePart {
  std::filesystem::path folder;  ///< of the run; empty if nothing is written
  std::string role;
  std::filesystem::path from;  ///< of the run to resume; empty if the training begins anew
  std::int64_t cut = 0;
  Part part;  ///< its part of that checkpoint, as in the manifest
  /// For a server if the number of servers has changed: the parts of all servers, from which it
  /// takes the parameters that it holds now. If empty, `part` is its own.
  std::vector<Part> servers{};

  /// Restores the node, of `prepared`, from its part, if there is one.
  /// @throws InputError that names the file
  void restore(Node& node, NodeId id, const Prepared& prepared) const;
  /// Writes the node's state. Callable from any thread.
  [[nodiscard]] WrittenPart write(const SaveState& keep) const;
  /// Removes its parts of the cuts before this one; the launcher cleans up only on its own machine.
  /// Callable from any thread.
  void remove_before(std::int64_t outdated) const;
  [[nodiscard]] bool goes_on() const { return !from.empty(); }

 private:
  [[nodiscard]] std::string state_of(NodeId id, const Prepared& prepared) const;
};

// JSON forms for messages.
// @throws nlohmann::json::exception if a field is missing, BadValue if it is no number
nlohmann::json to_json(const NodePart& part);
NodePart node_part_of(const nlohmann::json& json);
nlohmann::json to_json(const WrittenPart& written);
WrittenPart written_part_of(const nlohmann::json& json);

}  // namespace foretrain::exec
