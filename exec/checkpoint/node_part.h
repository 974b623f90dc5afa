// A node's side of checkpoints: its state on its way to the disk.
#pragma once

#include "exec/checkpoint/checkpoint.h"
#include "models/protocol/node.h"
#include "scenarios/resolve/prepared.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::exec {

/// A part that was written, or why it was not.
struct WrittenPart {
  std::int64_t cut = 0;
  Part part;
  Duration took;
  std::string wrong;  ///< empty: nothing
};

/// What a launcher tells a node of checkpoints, with what the node does about it.
struct NodePart {
  std::filesystem::path folder;  ///< of the run; empty: nothing is written
  std::string role;
  std::filesystem::path from;  ///< of the run that it goes on from; empty: it begins
  std::int64_t cut = 0;
  Part part;  ///< of that, as its manifest has it
  /// A server's, where there were another number of them: the parts of all, of which it takes what
  /// it holds now. Empty: `part` is its own.
  std::vector<Part> servers{};

  /// The node, of `prepared`, goes on from its part, where there is one. @throws InputError that
  /// names the file
  void restore(Node& node, NodeId id, const Prepared& prepared) const;
  /// Writes the node's state; on any thread.
  [[nodiscard]] WrittenPart write(const Keep& keep) const;
  /// Removes what it has written of the cuts before this one: the launcher sees to its own machine
  /// alone. On any thread.
  void remove_before(std::int64_t outdated) const;
  [[nodiscard]] bool goes_on() const { return !from.empty(); }

 private:
  [[nodiscard]] std::string state_of(NodeId id, const Prepared& prepared) const;
};

// As they travel. @throws nlohmann::json::exception where something is missing, BadValue where it
// is no number
nlohmann::json to_json(const NodePart& part);
NodePart node_part_of(const nlohmann::json& json);
nlohmann::json to_json(const WrittenPart& written);
WrittenPart written_part_of(const nlohmann::json& json);

}  // namespace foretrain::exec
