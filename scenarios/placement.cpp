#include "scenarios/placement.h"

#include "models/base/check.h"
#include "scenarios/node_counts.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace foretrain {
namespace {

struct PlacedHost {
  std::string name;
  std::size_t spec = 0;
};

std::vector<PlacedHost> hosts_of(const ClusterSpec& cluster) {
  std::vector<PlacedHost> hosts;
  for (std::size_t spec = 0; spec < cluster.hosts.size(); ++spec) {
    const HostSpec& each = cluster.hosts[spec];
    for (int n = 0; n < each.count; ++n) hosts.push_back({host_name(each, n), spec});
  }
  if (hosts.empty()) hosts.push_back({"localhost", 0});
  return hosts;
}

}  // namespace

std::string host_name(const HostSpec& spec, int index) {
  return spec.count == 1 ? spec.name : fmt::format("{}{}", spec.name, index);
}

std::vector<NodePlace> place_nodes(const Scenario& scenario) {
  const std::vector<PlacedHost> hosts = hosts_of(scenario.cluster);
  const Placement& placement = scenario.cluster.placement;
  std::vector<std::string> names = placement.workers;
  names.insert(names.end(), placement.servers.begin(), placement.servers.end());
  std::map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) index_of.try_emplace(hosts[i].name, i);
  const NodeCounts counts = node_counts(scenario);
  std::vector<NodePlace> places;
  for (int node = 0; node < counts.nodes(); ++node) {
    const auto number = static_cast<std::size_t>(node);
    std::size_t index = number % hosts.size();
    if (!names.empty()) {
      const auto found = index_of.find(names.at(number));
      FT_CHECK(found != index_of.end());
      index = found->second;
    }
    const int threads = node < counts.workers ? scenario.training.threads : 1;
    places.push_back({index, hosts[index].name, hosts[index].spec, threads, {}});
  }
  return places;
}

void take_cores(std::vector<NodePlace>& places, const ClusterSpec& cluster, int own_cores,
                const std::vector<NodePlace>& others) {
  FT_CHECK(own_cores > 0);
  std::map<std::size_t, int> taken;  // by host
  for (const NodePlace& other : others) taken[other.host] += other.threads;
  for (NodePlace& place : places) {
    const int cores = cluster.hosts.empty() ? own_cores : cluster.hosts[place.spec].cores;
    place.cores.clear();
    for (int thread = 0; thread < place.threads; ++thread) {
      place.cores.push_back(taken[place.host]++ % cores);
    }
  }
}

void write_placement(Scenario& scenario) {
  if (scenario.cluster.hosts.empty()) return;
  Placement placement;
  const int workers = node_counts(scenario).workers;
  for (const NodePlace& place : place_nodes(scenario)) {
    const bool worker = std::ssize(placement.workers) < workers;
    (worker ? placement.workers : placement.servers).push_back(place.host_name);
  }
  scenario.cluster.placement = std::move(placement);
}

}  // namespace foretrain
