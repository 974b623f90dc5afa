#include "sim/network/topology.h"

#include "models/base/check.h"
#include "models/base/ethernet.h"
#include "scenarios/resolve/placement.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace foretrain::sim {
namespace {
// Share of a wire's rate that interfaces and the kernel's token buckets count.
constexpr double kCountedShare = static_cast<double>(ethernet::kCounted) / ethernet::kOnWire;

// Spreads pairs of hosts over equal routes (the finaliser of SplitMix64: Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}
}  // namespace

struct Topology::Switches {
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Link>;

  Vertex add() { return boost::add_vertex(graph); }
  const std::vector<Distance>& distances_to(Vertex to);

  Graph graph;

 private:
  std::map<Vertex, std::vector<Distance>> distances_;  // computed on demand
};

Topology::~Topology() = default;

Topology::Topology(const ClusterSpec& cluster)
    : tcp_(cluster.tcp && !std::ranges::all_of(cluster.hosts, &HostSpec::rdma)),
      switches_(std::make_unique<Switches>()) {
  std::vector<HostNic> nics;
  for (const HostSpec& host : cluster.hosts) {
    const PortSpec port{host.nic.value, static_cast<double>(host.burst.value)};
    for (int n = 0; n < host.count; ++n) nics.push_back({host_name(host, n), port, host.latency});
  }
  hosts_.reserve(nics.size());
  if (cluster.topology == "star") wire_star(nics);
  if (cluster.topology == "leaf_spine") wire_leaf_spine(nics, cluster.leaf_spine);
  if (cluster.topology == "links") wire_links(nics, cluster.links);
  FT_CHECK_OP(hosts_.size(), ==, nics.size());
  device_ports_ = static_cast<FlowNetwork::PortId>(ports_.size());
  for (const HostSpec& host : cluster.hosts) {
    for (int n = 0; n < host.count; ++n) {
      const BytesPerSecond most = cluster.rate_between_two(host);
      flow_rates_.push_back(most < host.nic ? most.value : 0);  // otherwise the interface limits
      rdma_.push_back(host.rdma());
      join_devices(host);
    }
  }
}

void Topology::join_devices(const HostSpec& host) {
  const DeviceLinkSpec& link = host.device_link;
  const bool timed = host.devices > 0 && link.rate.value > 0;
  device_links_.push_back(
      {static_cast<FlowNetwork::PortId>(ports_.size()), link.latency, link.shared});
  if (timed) ports_.resize(ports_.size() + (link.shared ? 1 : 2 * host.devices), {link.rate.value});
}

void Topology::wire_star(const std::vector<HostNic>& nics) {
  const Vertex center = switches_->add();
  for (const HostNic& nic : nics) attach(nic.port, nic.latency, center);
}

void Topology::wire_leaf_spine(const std::vector<HostNic>& nics, const LeafSpineSpec& spec) {
  std::vector<Vertex> spines;
  spines.reserve(static_cast<std::size_t>(spec.spines));
  for (int i = 0; i < spec.spines; ++i) spines.push_back(switches_->add());
  const auto per_leaf = static_cast<std::size_t>(spec.hosts_per_leaf);
  for (std::size_t first = 0; first < nics.size(); first += per_leaf) {
    const Vertex leaf = switches_->add();
    double rate = 0;
    for (std::size_t i = first; i < std::min(first + per_leaf, nics.size()); ++i) {
      attach(nics[i].port, nics[i].latency, leaf);
      rate += nics[i].port.rate;
    }
    const PortSpec uplink{rate / spec.oversubscription / spec.spines};
    for (const Vertex spine : spines) connect(leaf, spine, uplink, spec.latency);
  }
}

void Topology::wire_links(const std::vector<HostNic>& nics, const std::vector<LinkSpec>& links) {
  std::map<std::string, std::vector<const LinkSpec*>> links_of;
  for (const LinkSpec& link : links) {
    links_of[link.from].push_back(&link);
    links_of[link.to].push_back(&link);
  }
  // A name with several links forwards: it is a vertex, whether a switch or a host.
  std::map<std::string, Vertex> vertices;
  std::map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < nics.size(); ++i) index_of[nics[i].name] = i;
  for (const auto& [name, own] : links_of) {
    if (own.size() > 1 || !index_of.contains(name)) vertices[name] = switches_->add();
  }
  // For two hosts with a wire between them, one stands for the switch.
  for (const LinkSpec& link : links) {
    if (!vertices.contains(link.from) && !vertices.contains(link.to)) {
      vertices[link.to] = switches_->add();
    }
    const PortSpec port{link.rate.value};
    if (vertices.contains(link.from) && vertices.contains(link.to)) {
      connect(vertices[link.from], vertices[link.to], port, link.latency);
    }
  }
  for (const HostNic& nic : nics) {
    if (const auto found = vertices.find(nic.name); found != vertices.end()) {
      hosts_.push_back({.vertex = found->second, .is_vertex = true});
      continue;
    }
    const LinkSpec& link = *links_of.at(nic.name).front();
    const std::string& other = link.from == nic.name ? link.to : link.from;
    attach({link.rate.value}, link.latency, vertices.at(other));
  }
}

void Topology::attach(PortSpec port, Duration latency, Vertex to) {
  const Link up = add_port(port, latency);
  const Link down = add_port(port, latency);
  hosts_.push_back({.vertex = to, .is_vertex = false, .up = up, .down = down});
}

void Topology::connect(Vertex a, Vertex b, PortSpec port, Duration latency) {
  boost::add_edge(a, b, add_port(port, latency), switches_->graph);
  boost::add_edge(b, a, add_port(port, latency), switches_->graph);
}

Topology::Link Topology::add_port(PortSpec port, Duration latency) {
  if (tcp_ && port.burst == 0) port.rate *= kCountedShare;
  ports_.push_back(port);
  return {static_cast<FlowNetwork::PortId>(ports_.size() - 1), {latency.ns, 1}};
}

std::vector<FlowNetwork::PortId> Topology::links_of(std::size_t host) const {
  const HostPlace& place = hosts_[host];
  if (!place.is_vertex) return {place.up.port, place.down.port};
  std::vector<FlowNetwork::PortId> ports;
  const Switches::Graph& graph = switches_->graph;
  const auto [first, last] = boost::edges(graph);
  for (auto edge = first; edge != last; ++edge) {
    const bool here =
        boost::source(*edge, graph) == place.vertex || boost::target(*edge, graph) == place.vertex;
    if (here) ports.push_back(graph[*edge].port);
  }
  return ports;
}

Topology::Route Topology::between_devices(std::size_t host, int from, int to) const {
  const DeviceLinks& links = device_links_[host];
  if (links.shared) return {{links.first}, links.latency};
  const auto port = [&](int device) { return links.first + 2 * static_cast<unsigned>(device); };
  return {{port(from), port(to) + 1}, links.latency};
}

double Topology::most_between(std::size_t from, std::size_t to) const {
  const double a = flow_rates_[from];
  const double b = flow_rates_[to];
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

// A link has the same latency in both directions, so distances to a vertex equal those from it.
const std::vector<Topology::Distance>& Topology::Switches::distances_to(Vertex to) {
  std::vector<Distance>& distances = distances_[to];
  if (!distances.empty()) return distances;
  distances.resize(boost::num_vertices(graph));
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
  boost::dijkstra_shortest_paths(graph, to,
                                 boost::weight_map(boost::get(&Link::length, graph))
                                     .distance_map(boost::make_iterator_property_map(
                                         distances.begin(), boost::get(boost::vertex_index, graph)))
                                     .distance_combine([](const Distance& a, const Distance& b) {
                                       return Distance{a.ns + b.ns, a.links + b.links};
                                     })
                                     .distance_inf(Distance{kFar, kFar})
                                     .distance_zero(Distance{}));
  return distances;
}

Topology::Route Topology::route(std::size_t from, std::size_t to) const {
  FT_CHECK_OP(from, !=, to);
  const HostPlace& begin = hosts_[from];
  const HostPlace& end = hosts_[to];
  Route route;
  const auto add = [&](const Link& link) {
    route.ports.push_back(link.port);
    route.latency.ns += link.length.ns;
  };
  if (!begin.is_vertex) add(begin.up);
  const std::vector<Distance>& distances = switches_->distances_to(end.vertex);
  const Switches::Graph& graph = switches_->graph;
  const std::uint64_t pair = mix((static_cast<std::uint64_t>(from) << 32U) | to);
  for (Vertex at = begin.vertex; at != end.vertex;) {
    std::vector<Switches::Graph::edge_descriptor> shortest;
    const auto [first, last] = boost::out_edges(at, graph);
    for (auto edge = first; edge != last; ++edge) {
      const Distance rest = distances[boost::target(*edge, graph)];
      const Distance length = graph[*edge].length;
      if (Distance{rest.ns + length.ns, rest.links + length.links} == distances[at]) {
        shortest.push_back(*edge);
      }
    }
    FT_CHECK(!shortest.empty());
    const auto chosen = shortest[pair % shortest.size()];
    add(graph[chosen]);
    at = boost::target(chosen, graph);
  }
  if (!end.is_vertex) add(end.down);
  return route;
}

}  // namespace foretrain::sim
