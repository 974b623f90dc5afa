#include "sim/driver/world.h"

#include "models/base/check.h"
#include "scenarios/model_key.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain::sim {
namespace {

std::string host_name(const HostSpec& spec, int index) {
  return spec.count == 1 ? spec.name : fmt::format("{}{}", spec.name, index);
}

}  // namespace

World::World(const Scenario& scenario, const Training& training, const MachineLookup& machines) {
  const std::string model = model_key(scenario, training.network->input());
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    machine_name = machine.name;
    add_host("localhost", machine.cores, &machine, model, {});
  }
  std::vector<Nic> nics;
  for (const HostSpec& spec : scenario.cluster.hosts) {
    std::optional<Machine> machine;
    if (!spec.compute || !spec.machine.empty()) machine = machines(spec.machine);
    if (machine) machine_name = machine->name;
    for (int index = 0; index < spec.count; ++index) {
      add_host(host_name(spec, index), spec.cores, machine ? &*machine : nullptr, model,
               spec.compute);
      nics.push_back({spec.nic, spec.latency});
    }
  }
  if (!nics.empty()) network = std::make_unique<StarNetwork>(engine, nics);
  place(scenario, training);
}

void World::add_host(const std::string& name, int cores, const Machine* machine,
                     const std::string& model, std::optional<Duration> compute) {
  const Machine none;
  const Machine& costs = machine != nullptr ? *machine : none;
  hosts.push_back({name, std::make_unique<Cpu>(engine, cores, costs.slice, costs.contention),
                   std::make_unique<JobTime>(machine, model, compute), costs.loopback,
                   costs.slice});
}

void World::place(const Scenario& scenario, const Training& training) {
  const Placement& placement = scenario.cluster.placement;
  std::vector<std::string> names = placement.workers;
  names.insert(names.end(), placement.servers.begin(), placement.servers.end());
  std::vector<int> cores_taken(hosts.size(), 0);
  for (std::size_t node = 0; node < static_cast<std::size_t>(training.nodes()); ++node) {
    std::size_t host = node % hosts.size();
    if (!names.empty()) {
      const auto found = std::ranges::find(hosts, names[node], &Host::name);
      FT_CHECK(found != hosts.end());
      host = static_cast<std::size_t>(found - hosts.begin());
    }
    const int cores = hosts[host].cpu->cores();
    const bool worker = node < static_cast<std::size_t>(training.workers);
    const int threads = worker ? training.threads : 1;
    places.push_back({host, cores_taken[host] % cores, threads});
    cores_taken[host] += threads;
  }
}

}  // namespace foretrain::sim
