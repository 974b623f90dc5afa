#include "sim/driver/world.h"

#include "scenarios/model_key.h"
#include "scenarios/placement.h"

#include <vector>

namespace foretrain::sim {

World::World(const Scenario& scenario, const Training& training, const MachineLookup& machines) {
  const bool profiled = training.network->profiled();
  const std::string model =
      profiled ? std::string() : model_key(scenario, training.network->input());
  if (scenario.cluster.hosts.empty()) {
    const Machine machine = machines("");
    add_host("localhost", machine.cores, &machine, model, {});
    note(machine, *hosts.back().job_time);
  }
  for (const HostSpec& spec : scenario.cluster.hosts) {
    const std::optional<Machine> machine = machine_of(spec, profiled, machines);
    for (int index = 0; index < spec.count; ++index) {
      add_host(host_name(spec, index), spec.cores, machine ? &*machine : nullptr, model,
               spec.compute);
    }
    if (machine) note(*machine, *hosts.back().job_time);
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

void World::note(const Machine& machine, const JobTime& job_time) {
  machine_name = machine.name;
  if (!job_time.uncalibrated()) return;
  if (!uncalibrated.empty()) uncalibrated += ", ";
  uncalibrated += machine.name;
}

void World::add_host(const std::string& name, int cores, const Machine* machine,
                     const std::string& model, std::optional<Duration> compute) {
  const Machine none;
  const Machine& costs = machine != nullptr ? *machine : none;
  hosts.push_back({name, std::make_unique<Cpu>(engine, cores, costs.slice, costs.contention),
                   std::make_unique<JobTime>(machine, model, compute), costs.loopback, costs.slice,
                   costs.memory_base});
}

std::vector<Bytes> World::memory_bases() const {
  std::vector<Bytes> bases;
  bases.reserve(places.size());
  for (const Place& place : places) bases.push_back(hosts[place.host].memory_base);
  return bases;
}

}  // namespace foretrain::sim
