// The links between hosts with the routes over them.
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
/// Rates count what interfaces count (including headers: models/base/ethernet.h). A port without a
/// token bucket is a wire, and loses 1.6 % to the framing around a packet.
///
///     star         every host at one switch, at the rate of its NIC
///     leaf_spine   hosts at leaf switches in their order, every leaf at every spine; the hosts of
///                  a leaf can together send `oversubscription` times what its uplinks carry
///                  (Al-Fares, Loukissas, Vahdat 2008, section 2)
///     links        as listed; a name that is no host is a switch
///
/// Each device of a host has a link to all others (NVLink), or all share one link (PCIe). No route
/// between hosts uses these links.
///
/// A route is a shortest path by latency, then by number of links (Dijkstra 1959). If several are
/// equal, the pair of hosts selects one, as equal-cost routing by a hash of the addresses does (RFC
/// 2992).
///
/// Most hosts have one link. They are no vertices of the searched graph, so the distances to a
/// switch are computed once for all hosts behind it.
class Topology {
 public:
  /// All hosts of `cluster` can reach each other; `scenarios/resolve/check_case.h` ensures that.
  explicit Topology(const ClusterSpec& cluster);
  ~Topology();

  struct Route {
    std::vector<FlowNetwork::PortId> ports;
    Duration latency;  ///< one way
  };
  /// Hosts are numbered from 0 over `cluster.hosts` with `count:` expanded. `from` is not `to`.
  [[nodiscard]] Route route(std::size_t from, std::size_t to) const;

  /// The two directions of a host's only link; nullopt if it has several.
  struct Nic {
    FlowNetwork::PortId out = 0;
    FlowNetwork::PortId in = 0;
  };
  [[nodiscard]] std::optional<Nic> nic(std::size_t host) const {
    if (hosts_[host].is_vertex) return std::nullopt;
    return Nic{hosts_[host].up.port, hosts_[host].down.port};
  }

  /// From one device of a host to another, numbered from 0; the devices have links between them.
  [[nodiscard]] Route between_devices(std::size_t host, int from, int to) const;
  [[nodiscard]] bool joins_devices(FlowNetwork::PortId port) const { return port >= device_ports_; }

  /// Maximum rate of all connections between two nodes on these hosts together, bytes/s; 0 if only
  /// the wires limit it.
  [[nodiscard]] double most_between(std::size_t from, std::size_t to) const;
  /// Whether TCP carries messages between these hosts, with headers and slow start.
  [[nodiscard]] bool tcp_between(std::size_t from, std::size_t to) const {
    return tcp_ && !(rdma_[from] && rdma_[to]);
  }

  /// Both directions of all links of a host.
  [[nodiscard]] std::vector<FlowNetwork::PortId> links_of(std::size_t host) const;

  [[nodiscard]] const std::vector<PortSpec>& ports() const { return ports_; }
  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }

 private:
  /// Length of a path: latency first, then number of links.
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
  struct Switches;             // a Boost.Graph; only the source includes it

  struct HostPlace {
    Vertex vertex = 0;  // the host itself, or the other end of its only link
    bool is_vertex = false;
    Link up{};  // the only link, to the vertex
    Link down{};
  };
  /// The links of a host's devices: one port out and one in for each, or one port that all share.
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
  std::unique_ptr<Switches> switches_;  // and hosts with several links
  std::vector<HostPlace> hosts_;
  std::vector<PortSpec> ports_;
  FlowNetwork::PortId device_ports_ = 0;   // the first port of a device link; they come last
  std::vector<DeviceLinks> device_links_;  // by host
  std::vector<double> flow_rates_;         // by host
  std::vector<bool> rdma_;                 // by host
};

}  // namespace foretrain::sim
