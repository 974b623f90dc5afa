// What is sent is received, once, in order.
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

/// The messages under way between the nodes of a training:
///
/// 1. What one node sends another of a bucket is received in order, as it was sent, once.
/// 2. From a peer that a node has lost it receives nothing any more.
/// 3. Of a bucket few messages are under way from one node to another, however long that takes: who
///    sends waits for an answer sooner or later.
class Wire {
 public:
  explicit Wire(const Training& training) : training_(training) {}

  /// @throws Broken, as the others
  void send(NodeId from, NodeId to, const Envelope& envelope);
  void receive(NodeId from, NodeId to, const Envelope& envelope);
  void lose(NodeId node, NodeId peer) { lost_.emplace(node, peer); }

  [[nodiscard]] Bytes sent() const { return sent_; }
  /// Of what was sent.
  [[nodiscard]] Bytes under_way() const { return under_way_; }

 private:
  /// Messages of a bucket that may be under way there.
  [[nodiscard]] std::size_t most_under_way(NodeId from, NodeId to) const;

  using Lane = std::tuple<NodeId, NodeId, std::uint32_t>;  // from, to, bucket

  const Training& training_;
  std::map<Lane, std::deque<Envelope>> lanes_;
  std::set<std::pair<NodeId, NodeId>> lost_;  // who has lost whom
  Bytes sent_{};
  Bytes under_way_{};
};

}  // namespace foretrain::faults
