// The placement of nodes.
#include "scenarios/resolve/placement.h"

#include "tests/scenarios/messages.h"

using namespace foretrain;

namespace {

Scenario trained(int workers, int servers) {
  Scenario scenario;
  scenario.training.strategy = "sync";
  scenario.training.workers = workers;
  scenario.training.servers = servers;
  return scenario;
}

HostSpec host(const std::string& name, int count, int cores) {
  HostSpec spec;
  spec.name = name;
  spec.count = count;
  spec.cores = cores;
  return spec;
}

std::vector<std::string> names_of(const std::vector<NodePlace>& places) {
  std::vector<std::string> names;
  for (const NodePlace& place : places) names.push_back(place.host_name);
  return names;
}

/// The places of nodes with their cores.
std::vector<NodePlace> placed(const Scenario& scenario, int own_cores) {
  auto places = place_nodes(scenario);
  take_cores(places, scenario.cluster, own_cores);
  return places;
}

using Names = std::vector<std::string>;
using Cores = std::vector<int>;

}  // namespace

TEST_CASE("placement: the dash before the numbers of hosts is none of the name of one") {
  HostSpec host;
  host.name = "dgx-h100-";
  host.count = 2;
  CHECK(host_name(host, 1) == "dgx-h100-1");
  host.count = 1;
  CHECK(host_name(host, 0) == "dgx-h100");
  const std::string one = "foretrain: 1\ncluster: {hosts: [{like: dgx-h100, count: 1}]}\n";
  CHECK(host_name(only(one).cluster.hosts.front(), 0) == "dgx-h100");
}

TEST_CASE("placement: without a cluster all nodes share this machine's cores in turn") {
  Scenario scenario = trained(2, 1);
  scenario.training.threads = 2;
  const auto places = placed(scenario, 3);
  CHECK(names_of(places) == Names{"localhost", "localhost", "localhost"});
  CHECK(places[0].cores == Cores{0, 1});
  CHECK(places[1].cores == Cores{2, 0});
  CHECK(places[2].cores == Cores{1});
}

TEST_CASE("placement: left out, a host takes as many workers at a time as it has devices") {
  Scenario scenario = trained(6, 1);
  scenario.cluster.hosts = {host("box", 2, 4), host("plain", 1, 2)};
  scenario.cluster.hosts[0].devices = 2;
  const auto places = placed(scenario, 2);
  CHECK(names_of(places) == Names{"box0", "box0", "box0", "box1", "box1", "plain", "box1"});
  CHECK(places[0].device == 0);
  CHECK(places[1].device == 1);
  CHECK(places[2].device == 0);  // which check_case.h rejects
  CHECK(places[4].device == 1);
  CHECK(!places[5].device);
  CHECK(!places[6].device);
}

TEST_CASE("placement: left out, nodes take the hosts in turn") {
  Scenario scenario = trained(3, 1);
  scenario.cluster.hosts = {host("big", 1, 4), host("small", 2, 1)};
  const auto places = placed(scenario, 2);
  CHECK(names_of(places) == Names{"big", "small0", "small1", "big"});
  CHECK(places[2].host == 2);
  CHECK(places[2].spec == 1);
  CHECK(places[3].cores == Cores{1});
}

TEST_CASE("placement: left out, a host has its workers one after another in rank") {
  Scenario scenario = trained(7, 2);
  scenario.cluster.hosts = {host("node", 3, 4)};
  const auto places = placed(scenario, 2);
  CHECK(names_of(places) ==
        Names{"node0", "node0", "node0", "node1", "node1", "node2", "node2", "node1", "node2"});
  // In a ring of them, three messages a step cross the network, the smallest possible number.
  int crossing = 0;
  for (std::size_t worker = 0; worker < 7; ++worker) {
    if (places[worker].host != places[(worker + 1) % 7].host) ++crossing;
  }
  CHECK(crossing == 3);
  CHECK(places[2].cores == Cores{2});
  // An explicit placement stays.
  scenario.cluster.placement = {{"node0", "node1", "node2", "node0", "node1", "node2", "node0"},
                                {"node1", "node2"}};
  CHECK(names_of(placed(scenario, 2)) ==
        Names{"node0", "node1", "node2", "node0", "node1", "node2", "node0", "node1", "node2"});
}

TEST_CASE("placement: as the scenario says, several nodes on a host") {
  Scenario scenario = trained(2, 1);
  scenario.cluster.hosts = {host("node", 3, 1)};
  scenario.cluster.placement = {{"node2", "node0"}, {"node2"}};
  const auto places = placed(scenario, 8);
  CHECK(names_of(places) == Names{"node2", "node0", "node2"});
  CHECK(places[0].host == 2);
  CHECK(places[0].cores == Cores{0});
  CHECK(places[2].cores == Cores{0});
}
