// An observer of all nodes of a training under any driver.
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

/// Observes the inputs and effects of each node. Throws Broken as soon as a rule of wire.h,
/// server_books.h or worker_books.h is violated, a node reports a message out of turn (all nodes
/// are honest), a server buffers more than one push per worker and bucket by its own count, or
/// shard 0 lets workers continue from a checkpoint that a server has not reported as saved. The
/// node programs do not know it.
class Invariants {
 public:
  explicit Invariants(std::shared_ptr<const Training> training);

  /// Wraps `program`; this has to outlive the result. Replaces an earlier program of the same node.
  std::unique_ptr<Node> around(NodeId id, std::unique_ptr<Node> program);

  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// The time of the last input of any node.
  [[nodiscard]] Instant last_input() const { return last_input_; }
  /// The states that nodes have saved (cuts.h).
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
  std::vector<int> begun_;  // number of processes so far, by node
  Choices choices_;
  std::optional<Version> cut_;   // checkpoint that shard 0 has announced and waits for
  std::set<NodeId> kept_there_;  // servers that have saved it
  WorkerBooks::Rounds rounds_;
  std::vector<WorkerBooks> workers_;
  std::vector<ServerBooks> servers_;
  // By server: the largest push so far of each worker and bucket.
  std::map<NodeId, std::map<std::pair<NodeId, std::uint32_t>, Bytes>> pushes_;
};

}  // namespace foretrain::faults
