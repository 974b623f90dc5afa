#include "sim/world/world.h"

#include "scenarios/emulated.h"

#include <cstdint>
#include <limits>
#include <utility>

namespace foretrain::sim {
namespace {

// Of a connection, where no message overtakes another: without TCP no kernel holds any.
Bytes in_kernel(const Scenario& scenario) {
  if (!scenario.cluster.tcp) return {};
  const Bytes unsent = scenario.transport.unsent;
  return unsent.value > 0 ? unsent : Bytes{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

World::World(const Prepared& prepared, bool emulate, const MachineLookup& machines,
             const Variant& variant)
    : time_factors(variant.time_factors),
      history(variant.history),
      real_cores(emulate || prepared.scenario_case.scenario.cluster.hosts.empty()) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  const bool profiled = prepared.training->network->profiled();
  const auto costs_of = [&](const Machine& machine) {
    const auto known = machine.models.find(prepared.model_key);
    return known == machine.models.end() ? ModelCost{} : known->second;
  };
  const auto cores_of = [&](int cores, const Machine& machine) {
    const ModelCost costs = costs_of(machine);
    const double contention = costs.contention > 0 ? costs.contention : machine.contention;
    const Cpu::Sharing sharing{machine.slice, contention, costs.cache_pollution};
    return std::make_shared<Cpu>(engine, cores, sharing, history);
  };
  if (real_cores) {
    const Machine machine = machines("");
    const auto cpu = cores_of(machine.cores, machine);
    if (scenario.cluster.hosts.empty()) {
      add_host("localhost", cpu, machine, costs_of(machine));
    }
    for (const HostSpec& spec : scenario.cluster.hosts) {
      for (int index = 0; index < spec.count; ++index) {
        add_host(host_name(spec, index), cpu, machine, costs_of(machine));
      }
    }
  } else {
    for (const HostSpec& spec : scenario.cluster.hosts) {
      Machine machine = machine_of(spec, profiled, machines).value_or(Machine{});
      machine.emulated = machine.loopback;  // what a real network's driver costs, nobody measured
      for (int index = 0; index < spec.count; ++index) {
        add_host(host_name(spec, index), cores_of(spec.cores, machine), machine, costs_of(machine));
      }
    }
  }
  if (scenario.transport.poll) {
    for (Host& host : hosts) {
      for (TransportCost* cost : {&host.local, &host.crossing, &host.remote}) {
        cost->poll = *scenario.transport.poll;
      }
    }
  }
  if (!scenario.cluster.hosts.empty()) {
    fabric = std::make_unique<Fabric>(
        engine, emulate ? emulated(scenario.cluster) : scenario.cluster, in_kernel(scenario),
        time_factors, serving_hosts(prepared), history);
  }
}

// Which hosts have a server; nobody asks in a plain simulation.
std::vector<bool> World::serving_hosts(const Prepared& prepared) const {
  if (!history.keeps() && time_factors == TimeFactors()) return {};
  std::vector<bool> serving(hosts.size());
  const auto workers = static_cast<std::size_t>(prepared.training->workers);
  for (std::size_t node = workers; node < prepared.places.size(); ++node) {
    serving[prepared.places[node].host] = true;
  }
  return serving;
}

// A byte that is streamed from memory costs more, whichever way it goes.
void World::add_host(const std::string& name, std::shared_ptr<Cpu> cpu, const Machine& machine,
                     const ModelCost& model) {
  const auto streamed = [](TransportCost cost, double factor) {
    cost.send.per_item_s *= factor;
    cost.receive.per_item_s *= factor;
    return cost;
  };
  const bool measured = machine.emulated != TransportCost{};
  const double crossing = model.crossing > 0 ? model.crossing : model.streaming;
  hosts.push_back({name, std::move(cpu), streamed(machine.loopback, model.streaming),
                   streamed(machine.loopback, crossing),
                   streamed(measured ? machine.emulated : machine.loopback, model.streaming),
                   machine.slice, machine.memory_base});
}

}  // namespace foretrain::sim
