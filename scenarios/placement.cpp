#include "scenarios/placement.h"

#include "models/base/check.h"
#include "scenarios/training.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

struct PlacedHost {
  std::string name;
  std::size_t spec = 0;
  int cores = 1;
  int taken = 0;
};

std::vector<PlacedHost> hosts_of(const Scenario& scenario, int own_cores) {
  std::vector<PlacedHost> hosts;
  const auto& specs = scenario.cluster.hosts;
  for (std::size_t spec = 0; spec < specs.size(); ++spec) {
    const HostSpec& each = specs[spec];
    for (int n = 0; n < each.count; ++n) {
      hosts.push_back({host_name(each, n), spec, each.cores});
    }
  }
  if (hosts.empty()) hosts.push_back({"localhost", 0, own_cores});
  return hosts;
}

}  // namespace

std::string host_name(const HostSpec& spec, int index) {
  return spec.count == 1 ? spec.name : fmt::format("{}{}", spec.name, index);
}

std::vector<NodePlace> place_nodes(const Scenario& scenario, int own_cores,
                                   const std::vector<NodePlace>& others) {
  FT_CHECK(own_cores > 0);
  std::vector<PlacedHost> hosts = hosts_of(scenario, own_cores);
  for (const NodePlace& other : others) {
    hosts[other.host].taken += static_cast<int>(other.cores.size());
  }
  const Placement& placement = scenario.cluster.placement;
  std::vector<std::string> names = placement.workers;
  names.insert(names.end(), placement.servers.begin(), placement.servers.end());
  const auto workers = static_cast<std::size_t>(worker_count(scenario));
  const auto nodes = workers + static_cast<std::size_t>(server_count(scenario));
  std::vector<NodePlace> places;
  for (std::size_t node = 0; node < nodes; ++node) {
    std::size_t index = node % hosts.size();
    if (!names.empty()) {
      const auto found = std::ranges::find(hosts, names.at(node), &PlacedHost::name);
      FT_CHECK(found != hosts.end());
      index = static_cast<std::size_t>(found - hosts.begin());
    }
    PlacedHost& host = hosts[index];
    NodePlace place{index, host.name, host.spec, {}};
    const int threads = node < workers ? scenario.training.threads : 1;
    for (int thread = 0; thread < threads; ++thread) {
      place.cores.push_back(host.taken++ % host.cores);
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace foretrain
