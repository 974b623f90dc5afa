// Watches all nodes of a training, whoever drives them.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"
#include "tests/faults/server_books.h"
#include "tests/faults/wire.h"
#include "tests/faults/worker_books.h"
#include "tests/support/kept_states.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace foretrain::faults {

/// Sees what each node is told, what it wants done, and throws Broken as soon as one of the rules
/// of wire.h, server_books.h, worker_books.h does not hold, a node says that another one spoke out
/// of turn (all are honest), a server holds, by its own count, more than one push of each worker
/// and bucket, or shard 0 lets workers go on from a cut that a server has not said to be kept. The
/// programs know nothing of it.
class Invariants {
 public:
  explicit Invariants(std::shared_ptr<const Training> training);

  /// `program`, watched; this outlives it. Where there was one before, it takes the place of that.
  std::unique_ptr<Node> around(NodeId id, std::unique_ptr<Node> program);

  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// When a node was told something for the last time.
  [[nodiscard]] Instant last_input() const { return last_input_; }
  /// What they have kept (cuts.h).
  [[nodiscard]] const testing::KeptStates& kept() const { return kept_; }

 private:
  class Watched;

  void happened(NodeId id, const Heard& heard, std::span<const Effect> effects);
  void note_choice(const Message& message, NodeId to);
  void check_cut(const Heard& heard, std::span<const Effect> effects);
  void note_buffered(NodeId server, NodeId worker, const Envelope& mail);
  void check_buffered(NodeId server, const Node& program) const;

  std::shared_ptr<const Training> training_;
  Wire wire_;
  testing::KeptStates kept_;
  Instant last_input_;
  std::vector<int> begun_;  // by node: its processes so far
  Choices choices_;
  std::optional<Version> cut_;   // that shard 0 has told the others of, and waits for
  std::set<NodeId> kept_there_;  // by these
  WorkerBooks::Rounds rounds_;
  std::vector<WorkerBooks> workers_;
  std::vector<ServerBooks> servers_;
  // By server: of each worker and bucket the largest push so far.
  std::map<NodeId, std::map<std::pair<NodeId, std::uint32_t>, Bytes>> pushes_;
};

}  // namespace foretrain::faults
