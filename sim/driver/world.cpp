#include "sim/driver/world.h"

#include "scenarios/placement.h"

namespace foretrain::sim {

World::World(const Scenario& scenario, bool profiled, const MachineLookup& machines) {
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    add_host("localhost", machine.cores, machine);
  }
  for (const HostSpec& spec : scenario.cluster.hosts) {
    const Machine machine = machine_of(spec, profiled, machines).value_or(Machine{});
    for (int index = 0; index < spec.count; ++index) {
      add_host(host_name(spec, index), spec.cores, machine);
    }
  }
  if (scenario.transport.poll) {
    for (Host& host : hosts) host.transport.poll = *scenario.transport.poll;
  }
  if (!scenario.cluster.hosts.empty()) {
    network = std::make_unique<Network>(engine, scenario.cluster);
  }
}

void World::add_host(const std::string& name, int cores, const Machine& costs) {
  hosts.push_back({name, std::make_unique<Cpu>(engine, cores, costs.slice, costs.contention),
                   costs.loopback, costs.slice, costs.memory_base});
}

}  // namespace foretrain::sim
