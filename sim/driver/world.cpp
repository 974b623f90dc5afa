#include "sim/driver/world.h"

#include "scenarios/model_key.h"
#include "scenarios/placement.h"

#include <vector>

namespace foretrain::sim {

World::World(const Scenario& scenario, const Training& training, const MachineLookup& machines) {
  const std::string model = model_key(scenario, training.network->input());
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    machine_name = machine.name;
    add_host("localhost", machine.cores, &machine, model, {});
  }
  for (const HostSpec& spec : scenario.cluster.hosts) {
    std::optional<Machine> machine;
    if (!spec.compute || !spec.machine.empty()) machine = machines(spec.machine);
    if (machine) machine_name = machine->name;
    for (int index = 0; index < spec.count; ++index) {
      add_host(host_name(spec, index), spec.cores, machine ? &*machine : nullptr, model,
               spec.compute);
    }
  }
  if (scenario.transport.poll) {
    for (Host& host : hosts) host.transport.poll = *scenario.transport.poll;
  }
  if (!scenario.cluster.hosts.empty()) {
    network = std::make_unique<Network>(engine, scenario.cluster);
  }
  const std::vector<NodePlace> nodes = place_nodes(scenario, hosts.front().cpu->cores());
  for (const NodePlace& node : nodes) {
    places.push_back({node.host, node.cores.front(), static_cast<int>(node.cores.size())});
  }
}

void World::add_host(const std::string& name, int cores, const Machine* machine,
                     const std::string& model, std::optional<Duration> compute) {
  const Machine none;
  const Machine& costs = machine != nullptr ? *machine : none;
  hosts.push_back({name, std::make_unique<Cpu>(engine, cores, costs.slice, costs.contention),
                   std::make_unique<JobTime>(machine, model, compute), costs.loopback,
                   costs.slice});
}

}  // namespace foretrain::sim
