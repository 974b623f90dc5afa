#include "scenarios/resolve/placement.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
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

/// The default without `placement:`. Workers go to the hosts round robin, one per device of a host
/// in each turn; servers go to the hosts after the last worker's. Then the ranks of a host are made
/// consecutive, as torchrun and mpirun place them: a ring leaves each host once.
std::vector<std::size_t> hosts_by_default(const ClusterSpec& cluster,
                                          const std::vector<PlacedHost>& hosts,
                                          const NodeCounts& counts) {
  std::vector<std::size_t> seats;  // hosts in the order in which they take workers
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const int devices = cluster.hosts.empty() ? 0 : cluster.hosts[hosts[host].spec].devices;
    seats.insert(seats.end(), static_cast<std::size_t>(std::max(devices, 1)), host);
  }
  std::vector<std::size_t> chosen;
  chosen.reserve(static_cast<std::size_t>(counts.nodes()));
  for (int worker = 0; worker < counts.workers; ++worker) {
    chosen.push_back(seats[static_cast<std::size_t>(worker) % seats.size()]);
  }
  for (int server = 0; server < counts.servers; ++server) {
    chosen.push_back((chosen.back() + 1) % hosts.size());
  }
  std::ranges::sort(chosen.begin(), chosen.begin() + counts.workers);
  return chosen;
}

}  // namespace

std::string kind_of_host(const HostSpec& spec) {
  std::string name = spec.name;
  if (name.size() > 1 && name.ends_with('-')) name.pop_back();
  return name;
}

std::string host_name(const HostSpec& spec, int index) {
  return spec.count > 1 ? fmt::format("{}{}", spec.name, index) : kind_of_host(spec);
}

std::vector<NodePlace> place_nodes(const Scenario& scenario) {
  const std::vector<PlacedHost> hosts = hosts_of(scenario.cluster);
  const Placement& placement = scenario.cluster.placement;
  std::vector<std::string> names = placement.workers;
  names.insert(names.end(), placement.servers.begin(), placement.servers.end());
  std::map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) index_of.try_emplace(hosts[i].name, i);
  const NodeCounts counts = node_counts(scenario);
  std::map<std::size_t, int> devices;  // number of devices with a worker, by host
  const std::vector<std::size_t> by_default = hosts_by_default(scenario.cluster, hosts, counts);
  std::vector<NodePlace> places;
  for (int node = 0; node < counts.nodes(); ++node) {
    const auto number = static_cast<std::size_t>(node);
    std::size_t index = by_default[number];
    if (!names.empty()) {
      const auto found = index_of.find(names.at(number));
      FT_CHECK(found != index_of.end());
      index = found->second;
    }
    const int threads = node < counts.workers ? scenario.training.threads : 1;
    places.push_back({index, hosts[index].name, hosts[index].spec, threads, {}});
    if (scenario.cluster.hosts.empty() || node >= counts.workers) continue;
    const int has = scenario.cluster.hosts[hosts[index].spec].devices;
    if (has > 0) places.back().device = devices[index]++ % has;
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

int devices_a_host(std::span<const NodePlace> workers) {
  const std::size_t first = workers.front().host;
  const auto next = std::ranges::find_if(workers, [&](const auto& p) { return p.host != first; });
  const auto group = static_cast<std::size_t>(next - workers.begin());
  if (workers.size() % group != 0) return 0;
  std::set<std::size_t> hosts;
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const NodePlace& place = workers[rank];
    if (!place.device) return 0;
    const bool begins = rank % group == 0;
    if (begins ? !hosts.insert(place.host).second : place.host != workers[rank - 1].host) return 0;
  }
  return static_cast<int>(group);
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

NodeCounts node_counts(const Scenario& scenario) {
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  return {protocol.several_workers ? scenario.training.workers : 1,
          protocol.servers ? scenario.training.servers : 0};
}

}  // namespace foretrain
