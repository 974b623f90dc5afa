// The ports on each route.
#include "sim/network/topology.h"

#include "tests/support/actors.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;

ClusterSpec cluster_of(int hosts, const std::string& topology) {
  ClusterSpec cluster = testing::star_of(hosts, {100}, 10_us, false);
  cluster.topology = topology;
  return cluster;
}

double least_rate(const Topology& topology, const Topology::Route& route) {
  double least = 1e18;
  for (const auto port : route.ports) least = std::min(least, topology.ports()[port].rate);
  return least;
}

TEST_CASE("topology: in a star a way is one port out and one in") {
  const Topology topology(cluster_of(4, "star"));
  std::set<FlowNetwork::PortId> ports;
  for (const auto& [from, to] : std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {2, 3}, {3, 2}}) {
    const auto route = topology.route(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    CHECK(route.latency == 20_us);
    REQUIRE(route.ports.size() == 2);
    ports.insert(route.ports.begin(), route.ports.end());
  }
  CHECK(ports.size() == 8);
  CHECK(topology.route(0, 1).ports[0] == topology.route(0, 3).ports[0]);
  CHECK(topology.route(0, 3).ports[1] == topology.route(2, 3).ports[1]);
}

TEST_CASE("topology: leaves share their hosts' rates over the spines") {
  ClusterSpec cluster = cluster_of(10, "leaf_spine");
  cluster.leaf_spine = {.hosts_per_leaf = 4, .spines = 2, .oversubscription = 4, .latency = 1_us};
  const Topology topology(cluster);
  const auto near = topology.route(0, 3);
  CHECK(near.ports.size() == 2);
  CHECK(near.latency == 20_us);
  const auto far = topology.route(0, 4);
  CHECK(far.ports.size() == 4);
  CHECK(far.latency == 22_us);
  CHECK(least_rate(topology, far) == 4 * 100.0 / 4 / 2);
  // The last leaf has two hosts.
  CHECK(least_rate(topology, topology.route(0, 9)) == 2 * 100.0 / 4 / 2);
  // Pairs are spread over both spines; each pair uses one.
  std::set<FlowNetwork::PortId> uplinks;
  for (std::size_t to = 4; to < 10; ++to) uplinks.insert(topology.route(0, to).ports[1]);
  CHECK(uplinks.size() == 2);
  CHECK(topology.route(1, 7).ports == topology.route(1, 7).ports);
}

TEST_CASE("topology: over listed links the quickest way is taken, then the one of fewest links") {
  ClusterSpec cluster = cluster_of(3, "links");
  const auto link = [](const char* from, const char* to, double rate, Duration latency) {
    return LinkSpec{from, to, {rate}, latency};
  };
  cluster.links = {link("node0", "a", 50, 5_us), link("a", "b", 10, 1_us),
                   link("b", "node1", 40, 5_us), link("a", "node1", 20, 7_us),
                   link("node2", "node1", 30, 2_us)};
  const Topology topology(cluster);
  // a - b - node1 takes 6 us, a - node1 takes 7.
  const auto direct = topology.route(0, 1);
  CHECK(direct.latency == 11_us);
  CHECK(direct.ports.size() == 3);
  CHECK(least_rate(topology, direct) == 10);
  // node1 forwards to node2.
  const auto through = topology.route(0, 2);
  CHECK(through.latency == 13_us);
  CHECK(through.ports.size() == 4);
  CHECK(topology.route(2, 0).latency == 13_us);

  cluster.links[1].latency = 2_us;  // both take 7 us: fewer links
  CHECK(Topology(cluster).route(0, 1).ports.size() == 2);
}

TEST_CASE("topology: two hosts on one wire") {
  ClusterSpec cluster = cluster_of(2, "links");
  cluster.links = {{"node0", "node1", {70}, 3_us}};
  const Topology topology(cluster);
  CHECK(topology.route(0, 1).latency == 3_us);
  CHECK(topology.route(0, 1).ports.size() == 1);
  CHECK(topology.route(0, 1).ports != topology.route(1, 0).ports);
}

}  // namespace
}  // namespace foretrain::sim
