// The connections of a node to its peers on other hosts, on other devices of its own.
#pragma once

#include "models/base/quantity.h"
#include "sim/network/fabric.h"
#include "sim/node/process.h"

#include <limits>
#include <utility>
#include <vector>

namespace foretrain::sim {

/// Each is made when it is first used. Kept from the lowest peer on: a worker has a server or two,
/// whose numbers come after those of thousands of workers.
class Connections {
 public:
  /// Of nodes in these places.
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
  /// The peer is another process now, which is connected anew.
  void drop(NodeId peer) {
    const std::size_t index = index_of(peer);
    if (index >= first_ && index - first_ < by_peer_.size()) by_peer_[index - first_] = kNone;
  }

 private:
  static constexpr auto kNone = std::numeric_limits<Fabric::ConnectionId>::max();

  std::size_t first_ = 0;  // peer
  std::vector<Fabric::ConnectionId> by_peer_;
};

}  // namespace foretrain::sim
