// Messages between hosts, over TCP connections that share links.
#pragma once

#include "models/base/quantity.h"
#include "models/base/send_queue.h"
#include "sim/engine/engine.h"
#include "sim/network/departures.h"
#include "sim/network/flows.h"
#include "sim/network/tcp.h"
#include "sim/network/topology.h"

#include <boost/container/small_vector.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace foretrain::sim {

/// A connection carries the messages from one node to another, one after the other, in the order of
/// `models/base/send_queue.h`. While it has something to send it is one flow of the network,
/// however many messages wait. The last byte of a message arrives the latency of the route after it
/// was sent.
///
///     arrives - begins = wait for those before it + framed size / rate + waits of slow start
///                        + latency
///
/// With `tcp: false` bytes are not framed, and windows do not bind. Nor is it TCP between devices
/// of a host: over their links messages go one after the other, too, and take of no core anything.
///
/// Where hosts have a `flow_rate`, a connection is as many of TCP's as the cluster says, over which
/// its messages are spread: together they carry no more than so many times that.
///
/// From a host that is cut off from another nothing leaves for it; what has left arrives. When the
/// cut is mended a connection goes on where it was, by the window that its rest has left it.
///
/// Realism: acknowledgements take nothing from the other direction (they are 2 % of it); switches
/// have memory for all that waits; nothing is lost, so nothing is sent twice. After a cut a real
/// connection waits for its next retransmission, up to as long again (its timer doubles: RFC 6298).
class Fabric : public Actor {
 public:
  Fabric(Engine& engine, const ClusterSpec& cluster) : Fabric(engine, cluster, {}, {}, {}, {}) {}
  /// `unsent`: the bytes of a connection that wait in the kernel, where none overtakes another; of
  /// a message that has begun to leave, none does anyway. With wires that are faster or slower, by
  /// `time_factors`: `serves` says of each host whether a server is there, empty: of none.
  /// `history`: is told what messages wait for.
  Fabric(Engine& engine, const ClusterSpec& cluster, Bytes unsent, const TimeFactors& time_factors,
         const std::vector<bool>& serves, Recorder history);

  using ConnectionId = Departures::ConnectionId;
  /// From a host to another one.
  ConnectionId connect(std::size_t from, std::size_t to);
  /// From a device of a host, which has links between them, to another one.
  ConnectionId connect_devices(std::size_t host, int from, int to);
  /// `size` is above 0; `arrived` is woken when the last byte is there. That is then the current
  /// activity of the history.
  void send(ConnectionId id, Bytes size, std::uint32_t bucket, Callback arrived);

  /// Of its route, one way.
  [[nodiscard]] Duration latency(ConnectionId id) const { return connections_[id].latency; }

  void wake(Instant now, std::uint64_t token) override;
  void expect(std::uint64_t token) const override;

  /// From a host to another one nothing moves until each `cut` has its `mend`.
  void cut(std::size_t from, std::size_t to);
  void mend(std::size_t from, std::size_t to);
  /// The links of a host pass this share of their rate, above 0 to 1.
  void set_pace(std::size_t host, double share);

  /// Counts what has been moved of the messages that are sent now. O(connections).
  void count_moving();
  /// Bytes that have left a host, that have left others for it, as of the last `count_moving`:
  /// framed where there is TCP.
  [[nodiscard]] Bytes sent_by(std::size_t host) const { return {std::llround(hosts_[host].sent)}; }
  [[nodiscard]] Bytes received_by(std::size_t host) const {
    return {std::llround(hosts_[host].received)};
  }
  [[nodiscard]] const FlowNetwork& flows() const { return flows_; }

 private:
  struct Waiting {
    std::uint32_t bucket;
    ActivityId cause;
    double left;  // bytes, framed
    Callback arrived;

    [[nodiscard]] double size() const { return left; }
  };
  struct Counters {
    double sent = 0;
    double received = 0;
  };
  struct Connection {
    std::uint32_t from;
    std::uint32_t to;
    Duration latency;
    /// The ports of its route; its own, where it carries less than its wires.
    boost::container::small_vector<FlowNetwork::PortId, 4> path;
    SlowStart slow_start;
    SendQueue<Waiting> waiting{};  // the first one is sent
    FlowNetwork::FlowId flow = 0;
    double piece = 0;           // bytes that its flow moves now; 0: no flow
    double counted = 0;         // of them
    bool rests = true;          // nothing to send, not even once the next round comes
    bool awaits_round = false;  // the next one is scheduled
    int cuts = 0;               // that are not mended
    bool framed = false;

    [[nodiscard]] std::span<const FlowNetwork::PortId> ports() const {
      return {path.data(), path.size()};
    }
  };

  ConnectionId add_connection(std::size_t from, std::size_t to, const Topology::Route& route,
                              bool tcp);
  void begin_flow(ConnectionId id, double piece);
  /// Sends what it may, where nothing of it is under way.
  void go_on(ConnectionId id, Instant now);
  void break_off(ConnectionId id, Instant now);
  [[nodiscard]] std::vector<ConnectionId> connections(std::size_t from, std::size_t to) const;
  /// The bytes of the first message that may leave now; 0: a round has to be waited for.
  double next_piece(ConnectionId id, Instant now);
  /// So much of its piece has been moved.
  void count(Connection& connection, double moved);
  void moved(ConnectionId id, Instant now);

  Engine& engine_;
  Topology topology_;
  TimeFactors time_factors_;
  FlowNetwork flows_;
  Departures departures_;
  double unsent_;                                            // bytes
  std::map<std::pair<std::size_t, std::size_t>, int> cuts_;  // from a host to another
  std::vector<Connection> connections_;
  std::vector<Counters> hosts_;
};

}  // namespace foretrain::sim
