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
///    One that comes back has none of the messages that were under way before.
/// 3. Of a bucket few messages are under way from one node to another, however long that takes: who
///    sends waits for an answer sooner or later. A worker that has made its gradients may stand
///    still while the others come to cut after cut: those are not counted.
class Wire {
 public:
  explicit Wire(const Training& training) : training_(training) {}

  /// @throws Broken, as the others
  void send(NodeId from, NodeId to, const Envelope& envelope);
  void receive(NodeId from, NodeId to, const Envelope& envelope);
  void lose(NodeId node, NodeId peer) {
    lost_.emplace(node, peer);
    parted_ = true;
  }
  /// Worker `node` begins again, as another process.
  void begin_again(NodeId node) { ++processes_[{node, node}]; }
  /// `node` is told that `peer` has.
  void take_back(NodeId node, NodeId peer) {
    lost_.erase({node, peer});
    ++processes_[{node, peer}];
  }

  /// A node has lost a peer at some time, whether that was gone or silent behind a cut.
  [[nodiscard]] bool parted() const { return parted_; }
  [[nodiscard]] Bytes sent() const { return sent_; }
  /// Of what was sent.
  [[nodiscard]] Bytes under_way() const { return under_way_; }

 private:
  /// Messages of a bucket that may be under way there.
  [[nodiscard]] std::size_t most_under_way(NodeId from, NodeId to) const;

  /// Of the worker of these two the number of its process, as `node` knows it.
  [[nodiscard]] std::int64_t process(NodeId node, NodeId peer);

  using Lane =
      std::tuple<NodeId, NodeId, std::uint32_t, std::int64_t>;  // from, to, bucket, process

  const Training& training_;
  std::map<Lane, std::deque<Envelope>> lanes_;
  std::set<std::pair<NodeId, NodeId>> lost_;                     // who has lost whom
  std::map<std::pair<NodeId, NodeId>, std::int64_t> processes_;  // as who knows them of whom
  bool parted_ = false;
  Bytes sent_{};
  Bytes under_way_{};
};

}  // namespace foretrain::faults
