// Connections of a node to peers on other hosts or on other devices of its host.
#pragma once

#include "models/base/quantity.h"
#include "sim/network/fabric.h"
#include "sim/node/sim_process.h"

#include <limits>
#include <utility>
#include <vector>

namespace foretrain::sim {

/// Each connection is made on first use. The table begins at the lowest peer: a worker has a server
/// or two, whose numbers follow those of thousands of workers.
class Connections {
 public:
  /// Returns the connection to `peer`. `here`, `there`: the places of the two nodes.
  Fabric::ConnectionId to(NodeId peer, const Place& here, const Place& there, Fabric& fabric) {
    const std::size_t index = index_of(peer);
    if (by_peer_.empty()) first_ = index;
    if (index < first_) {
      by_peer_.insert(by_peer_.begin(), first_ - index, kNone);
      first_ = index;
    }
    if (index - first_ >= by_peer_.size()) by_peer_.resize(index - first_ + 1, kNone);
    Fabric::ConnectionId& connection = by_peer_[index - first_];
    if (connection == kNone) {
      connection = here.host == there.host
                       ? fabric.connect_devices(here.host, *here.device, *there.device)
                       : fabric.connect(here.host, there.host);
    }
    return connection;
  }
  /// Forgets the connection: the peer is another process now.
  void drop(NodeId peer) {
    const std::size_t index = index_of(peer);
    if (index >= first_ && index - first_ < by_peer_.size()) by_peer_[index - first_] = kNone;
  }

 private:
  static constexpr auto kNone = std::numeric_limits<Fabric::ConnectionId>::max();

  std::size_t first_ = 0;  // the lowest peer
  std::vector<Fabric::ConnectionId> by_peer_;
};

}  // namespace foretrain::sim
