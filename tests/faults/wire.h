// Messages arrive once, in order.
#pragma once

#include "models/protocol/training.h"
#include "tests/faults/envelope.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace foretrain::faults {

/// The messages under way between the nodes of a training. Rules:
///
/// 1. Messages of a bucket from one node to another arrive in order, unchanged, once.
/// 2. A node receives nothing from a peer that it has lost. A peer that comes back has no messages
///    under way from before.
/// 3. Few messages of a bucket are under way from one node to another at any time, because senders
///    wait for answers. Checkpoint messages to a worker that has made its gradients do not count:
///    it may stand still while the others reach checkpoint after checkpoint.
class Wire {
 public:
  explicit Wire(const Training& training) : training_(training) {}

  /// @throws Broken, as the others do
  void send(NodeId from, NodeId to, const Envelope& envelope);
  void receive(NodeId from, NodeId to, const Envelope& envelope);
  void mark_lost(NodeId node, NodeId peer) {
    lost_.emplace(node, peer);
    parted_ = true;
  }
  /// Worker `node` starts again as a new process.
  void begin_again(NodeId node) { ++processes_[{node, node}]; }
  /// `node` learns that `peer` has started again.
  void take_back(NodeId node, NodeId peer) {
    lost_.erase({node, peer});
    ++processes_[{node, peer}];
  }

  /// Whether a node has ever lost a peer, which was dead or silent behind a cut.
  [[nodiscard]] bool parted() const { return parted_; }
  [[nodiscard]] Bytes sent() const { return sent_; }
  /// Bytes that were sent but not received.
  [[nodiscard]] Bytes under_way() const { return under_way_; }

 private:
  /// Upper bound of a bucket's messages between these nodes.
  [[nodiscard]] std::size_t most_under_way(NodeId from, NodeId to) const;

  /// The process number of the worker among these two, as `node` knows it.
  [[nodiscard]] std::int64_t process(NodeId node, NodeId peer);

  using Lane =
      std::tuple<NodeId, NodeId, std::uint32_t, std::int64_t>;  // from, to, bucket, process

  const Training& training_;
  std::map<Lane, std::deque<Envelope>> lanes_;
  std::set<std::pair<NodeId, NodeId>> lost_;                     // node, lost peer
  std::map<std::pair<NodeId, NodeId>, std::int64_t> processes_;  // node, worker: process number
  bool parted_ = false;
  Bytes sent_{};
  Bytes under_way_{};
};

}  // namespace foretrain::faults
