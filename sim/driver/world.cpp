#include "sim/driver/world.h"

#include "scenarios/placement.h"

namespace foretrain::sim {

World::World(const Scenario& scenario, bool profiled, const MachineLookup& machines) {
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    add_host("localhost", 0, machine.cores, machine);
  }
  for (std::size_t spec = 0; spec < scenario.cluster.hosts.size(); ++spec) {
    const HostSpec& each = scenario.cluster.hosts[spec];
    const Machine machine = machine_of(each, profiled, machines).value_or(Machine{});
    for (int index = 0; index < each.count; ++index) {
      add_host(host_name(each, index), spec, each.cores, machine);
    }
  }
  if (scenario.transport.poll) {
    for (Host& host : hosts) host.transport.poll = *scenario.transport.poll;
  }
  if (!scenario.cluster.hosts.empty()) {
    network = std::make_unique<Network>(engine, scenario.cluster);
  }
}

void World::add_host(const std::string& name, std::size_t spec, int cores, const Machine& costs) {
  hosts.push_back({name, spec, std::make_unique<Cpu>(engine, cores, costs.slice, costs.contention),
                   costs.loopback, costs.slice, costs.memory_base});
}

}  // namespace foretrain::sim
