// Messages between hosts over TCP connections that share links.
#pragma once

#include "models/base/quantity.h"
#include "models/base/send_queue.h"
#include "sim/engine/engine.h"
#include "sim/network/flows.h"
#include "sim/network/send_wait_tracker.h"
#include "sim/network/tcp.h"
#include "sim/network/topology.h"

#include <boost/container/small_vector.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace foretrain::sim {

/// A connection carries the messages from one node to another, one at a time, in the order of
/// `models/base/send_queue.h`. While it has something to send it is one flow of the network,
/// however many messages wait. The last byte of a message arrives one route latency after it was
/// sent.
///
///     arrives - begins = wait for earlier messages + framed size / rate + waits of slow start
///                        + latency
///
/// With `tcp: false` bytes are not framed, and windows do not limit. The same holds between the
/// devices of a host: messages follow one another on their links, and cost no core anything.
///
/// If hosts have a `flow_rate`, a connection stands for as many TCP connections as the cluster
/// says. Its messages are spread over them, so together they carry at most that number times
/// `flow_rate`.
///
/// While traffic from one host to another is cut, nothing leaves for that host; what has already
/// left still arrives. When the cut is mended, a connection resumes where it stopped, with the
/// congestion window that remains after its idle time.
///
/// Realism: acknowledgements take nothing from the opposite direction (they are 2 % of it);
/// switches have unlimited buffers; nothing is lost, so nothing is retransmitted. After a cut a
/// real connection waits for its next retransmission, up to as long again as the cut (its timer
/// doubles: RFC 6298).
class Fabric : public Actor {
 public:
  Fabric(Engine& engine, const ClusterSpec& cluster) : Fabric(engine, cluster, {}, {}, {}, {}) {}
  /// `unsent`: bytes of a connection that wait in the kernel, where no message overtakes another; a
  /// message that has begun to leave is never overtaken. `time_factors` makes wires faster or
  /// slower. `serves`: by host, whether it has a server; empty if none has. `history` records what
  /// messages wait for.
  Fabric(Engine& engine, const ClusterSpec& cluster, Bytes unsent, const TimeFactors& time_factors,
         const std::vector<bool>& serves, Recorder history);

  /// The first hosts stand for all others (sim/world/fold.h): what they send to others arrives by
  /// their own ports. Called before `connect`.
  void simulate_first_hosts(std::size_t count) { simulated_ = count; }

  using ConnectionId = SendWaitTracker::ConnectionId;
  /// Connects one host to another.
  ConnectionId connect(std::size_t from, std::size_t to);
  /// Connects a device of a host to another one; the devices have links between them.
  ConnectionId connect_devices(std::size_t host, int from, int to);
  /// Queues a message of `size` > 0. `arrived` is woken when the last byte has arrived; the arrival
  /// is then the current activity of the history.
  void send(ConnectionId id, Bytes size, std::uint32_t bucket, Callback arrived);

  /// Latency of the connection's route, one way.
  [[nodiscard]] Duration latency(ConnectionId id) const { return connections_[id].latency; }

  void wake(Instant now, std::uint64_t token) override;
  void expect(std::uint64_t token) const override;

  /// Nothing moves from one host to the other until each `cut` has its `mend`.
  void cut(std::size_t from, std::size_t to);
  void mend(std::size_t from, std::size_t to);
  /// The links of a host pass this share of their rate, above 0 and up to 1.
  void set_rate_factor(std::size_t host, double share);

  /// Counts the bytes that the messages in transfer have moved so far. O(connections).
  void count_moving();
  /// Bytes that a host has sent to and received from other hosts, as of the last `count_moving`;
  /// framed if there is TCP.
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
    /// The ports of its route; also a port of the connection if it carries less than its wires.
    boost::container::small_vector<FlowNetwork::PortId, 4> path;
    SlowStart slow_start;
    SendQueue<Waiting> waiting{};  // the first one is being sent
    FlowNetwork::FlowId flow = 0;
    double piece = 0;           // bytes that its flow moves now; 0 if there is no flow
    double counted = 0;         // bytes of the piece that are counted already
    bool rests = true;          // nothing to send, not even when the next round begins
    bool awaits_round = false;  // the next round is scheduled
    int cuts = 0;               // cuts that are not mended
    bool framed = false;

    [[nodiscard]] std::span<const FlowNetwork::PortId> ports() const {
      return {path.data(), path.size()};
    }
  };

  ConnectionId add_connection(std::size_t from, std::size_t to, const Topology::Route& route,
                              bool tcp);
  void begin_flow(ConnectionId id, double piece);
  /// The host, or the simulated one that stands for it.
  [[nodiscard]] std::size_t image(std::size_t host) const { return host % simulated_; }
  /// The route from a simulated host; to one that is not simulated as far as the middle, then on as
  /// its image receives.
  [[nodiscard]] Topology::Route route(std::size_t from, std::size_t to) const;
  /// Sends what it may; called if no piece is in transfer.
  void go_on(ConnectionId id, Instant now);
  void break_off(ConnectionId id, Instant now);
  [[nodiscard]] std::vector<ConnectionId> connections(std::size_t from, std::size_t to) const;
  /// The bytes of the first message that may leave now; 0 if the next round has to be awaited.
  double next_piece(ConnectionId id, Instant now);
  /// `moved` bytes of the connection's piece have been transferred.
  void count(Connection& connection, double moved);
  void moved(ConnectionId id, Instant now);

  Engine& engine_;
  Topology topology_;
  TimeFactors time_factors_;
  FlowNetwork flows_;
  SendWaitTracker send_waits_;
  bool takes_all_;         // the kernel takes every message at once
  double unsent_;          // bytes of a connection that the kernel takes
  std::size_t simulated_;  // number of hosts
  std::map<std::pair<std::size_t, std::size_t>, int> cuts_;  // open cuts from a host to another
  std::vector<Connection> connections_;
  std::vector<Counters> hosts_;
};

}  // namespace foretrain::sim
