// The wires between hosts: who reaches whom through which ports.
#pragma once

#include "models/base/time.h"
#include "scenarios/spec/scenario.h"
#include "sim/network/flows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// Hosts, switches and the links between them, full duplex: a link is two ports.
///
/// Rates count what interfaces count (headers, too: models/base/ethernet.h); a port
/// without a token bucket is a wire, and gives up 1.6 % to what surrounds a packet.
///
///     star         every host at one switch, at the rate of its NIC
///     leaf_spine   hosts at leaf switches in their order, every leaf at every spine; what the
///                  hosts of a leaf can send together is `oversubscription` times what its uplinks
///                  carry (Al-Fares, Loukissas, Vahdat 2008, section 2)
///     links        as listed; a name that is no host is a switch
///
/// Devices of a host have a link each to all the others (NVLink), or share one (PCIe); no host's
/// wire leads over those.
///
/// A route is a shortest path by latency, then by links (Dijkstra 1959); where several are equal,
/// the pair of hosts decides, as equal-cost routing by a hash of the addresses does (RFC 2992).
///
/// Most hosts have one link. They are no vertices of the graph that is searched, so distances to a
/// switch are found once for all hosts behind it.
class Topology {
 public:
  /// Of a cluster whose hosts can all reach each other, as `scenarios/resolve/check.h` sees to.
  explicit Topology(const ClusterSpec& cluster);
  ~Topology();

  struct Route {
    std::vector<FlowNetwork::PortId> ports;
    Duration latency;  ///< one way
  };
  /// Hosts are counted from 0 over `cluster.hosts`, `count:` expanded. `from` is not `to`.
  [[nodiscard]] Route route(std::size_t from, std::size_t to) const;

  /// The two directions of a host's one link; nothing where it has several.
  struct Nic {
    FlowNetwork::PortId out = 0;
    FlowNetwork::PortId in = 0;
  };
  [[nodiscard]] std::optional<Nic> nic(std::size_t host) const {
    if (hosts_[host].is_vertex) return std::nullopt;
    return Nic{hosts_[host].up.port, hosts_[host].down.port};
  }

  /// From a device of a host, which has links between them, to another one; counted from 0.
  [[nodiscard]] Route between_devices(std::size_t host, int from, int to) const;
  [[nodiscard]] bool joins_devices(FlowNetwork::PortId port) const { return port >= device_ports_; }

  /// The most that two nodes on these hosts exchange, all connections together, bytes/s; 0: all
  /// there is.
  [[nodiscard]] double most_between(std::size_t from, std::size_t to) const;
  /// TCP carries messages between these hosts, with headers and slow start.
  [[nodiscard]] bool tcp_between(std::size_t from, std::size_t to) const {
    return tcp_ && !(rdma_[from] && rdma_[to]);
  }

  /// Both directions of all links of a host.
  [[nodiscard]] std::vector<FlowNetwork::PortId> links_of(std::size_t host) const;

  [[nodiscard]] const std::vector<PortSpec>& ports() const { return ports_; }
  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }

 private:
  /// How far: latency first, then links.
  struct Distance {
    std::int64_t ns = 0;
    std::int64_t links = 0;
    auto operator<=>(const Distance&) const = default;
  };
  /// One direction.
  struct Link {
    FlowNetwork::PortId port = 0;
    Distance length;
  };
  using Vertex = std::size_t;  // of the graph of switches
  struct Switches;             // a Boost.Graph, which is read in the source alone

  struct HostPlace {
    Vertex vertex = 0;  // itself, or where its one link leads
    bool is_vertex = false;
    Link up{};  // the one link, to the vertex
    Link down{};
  };
  /// What joins the devices of a host: of each one a port out, one in; or one that all share.
  struct DeviceLinks {
    FlowNetwork::PortId first = 0;
    Duration latency;
    bool shared = false;
  };
  struct HostNic {
    std::string name;
    PortSpec port;
    Duration latency;
  };

  void wire_star(const std::vector<HostNic>& nics);
  void wire_leaf_spine(const std::vector<HostNic>& nics, const LeafSpineSpec& spec);
  void wire_links(const std::vector<HostNic>& nics, const std::vector<LinkSpec>& links);
  void join_devices(const HostSpec& host);
  void attach(PortSpec port, Duration latency, Vertex to);
  void connect(Vertex a, Vertex b, PortSpec port, Duration latency);
  Link add_port(PortSpec port, Duration latency);

  bool tcp_;                            // between some hosts
  std::unique_ptr<Switches> switches_;  // with the hosts that have several links
  std::vector<HostPlace> hosts_;
  std::vector<PortSpec> ports_;
  FlowNetwork::PortId device_ports_ = 0;   // they come last
  std::vector<DeviceLinks> device_links_;  // by host
  std::vector<double> flow_rates_;         // by host
  std::vector<bool> rdma_;                 // by host
};

}  // namespace foretrain::sim
