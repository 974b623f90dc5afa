#include "sim/world/world.h"

#include "models/networks/registry.h"
#include "scenarios/resolve/emulated.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace foretrain::sim {
namespace {

// Time slice of two trainings that share a device.
constexpr Duration kDeviceSlice{2'000'000};

// Bytes of a connection in which no message overtakes another. Without TCP there are none.
Bytes in_kernel(const Scenario& scenario) {
  if (!scenario.cluster.tcp) return {};
  const Bytes unsent = scenario.transport.unsent;
  return unsent.value > 0 ? unsent : Bytes{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

World::World(const Prepared& prepared, bool emulate, const MachineLookup& machines,
             const Variant& variant, int cores, std::optional<Fold> folded)
    : time_factors(variant.time_factors),
      history(variant.history),
      fold(folded),
      real_cores(emulate || prepared.scenario_case.scenario.cluster.hosts.empty()) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  const bool profiled = prepared.training->network->profiled();
  cores = std::min(cores, static_cast<int>(prepared.places.size()));  // at most one core per node
  if (prepared.training->numerics && cores > 1) pool = std::make_unique<WorkPool>(cores);
  if (real_cores) {
    const Machine machine = machines("");
    const Cores shared = make_cores(machine.cores, machine);
    if (scenario.cluster.hosts.empty()) add_host("localhost", shared, machine);
    for (const HostSpec& spec : scenario.cluster.hosts) {
      for (int index = 0; index < spec.count; ++index) {
        add_host(host_name(spec, index), shared, machine);
      }
    }
  } else {
    for (const HostSpec& spec : scenario.cluster.hosts) {
      Machine machine = machine_of(spec, profiled, machines).value_or(Machine{});
      machine.emulated = {};  // the driver costs of a real network are not measured
      for (int index = 0; index < spec.count; ++index) {
        Host& host = add_host(host_name(spec, index), make_cores(spec.cores, machine), machine);
        host.rdma = spec.rdma();
        if (spec.devices == 0) continue;
        const double transferring = 1 + spec.device.slowed_by_collectives;
        const Cpu::Sharing sharing{.slice = kDeviceSlice, .transferring = transferring};
        host.devices = std::make_shared<Cpu>(engine, spec.devices, sharing, history);
        host.device_links = spec.device_link.rate.value > 0;
        host.caches = nullptr;  // the miss rates of its cores are not measured
      }
    }
  }
  if (scenario.transport.poll) {
    for (Host& host : hosts) {
      for (TransportCost* cost : {&host.one_core, &host.local, &host.remote}) {
        cost->poll = *scenario.transport.poll;
      }
    }
  }
  if (!scenario.cluster.hosts.empty()) {
    ClusterSpec cluster = emulate ? emulated(scenario.cluster) : scenario.cluster;
    // A message between a worker and a server uses one port of each host.
    if (prepared.training->servers > 0) {
      for (HostSpec& host : cluster.hosts) host.ports = 1;
    }
    fabric = std::make_unique<Fabric>(engine, cluster, in_kernel(scenario), time_factors,
                                      serving_hosts(prepared), history);
    if (fold) fabric->simulate_first_hosts(static_cast<std::size_t>(fold->simulated_hosts()));
  }
}

// Hosts with a server; left empty in a plain simulation, which does not need them.
std::vector<bool> World::serving_hosts(const Prepared& prepared) const {
  if (!history.keeps() && time_factors == TimeFactors()) return {};
  std::vector<bool> serving(hosts.size());
  const auto workers = static_cast<std::size_t>(prepared.training->workers);
  for (std::size_t node = workers; node < prepared.places.size(); ++node) {
    serving[prepared.places[node].host] = true;
  }
  return serving;
}

World::Cores World::make_cores(int cores, const Machine& machine) {
  const Cpu::Sharing sharing{machine.slice, machine.contention, machine.context_switch};
  Cores made{std::make_shared<Cpu>(engine, cores, sharing, history), nullptr};
  if (machine.memory.known()) made.caches = std::make_shared<Caches>(machine.memory, cores);
  return made;
}

Host& World::add_host(const std::string& name, const Cores& cores, const Machine& machine) {
  TransportCost remote = machine.loopback;
  if (machine.emulated != EmulatedCost{}) {
    remote.send = machine.emulated.send;
    remote.receive = machine.emulated.receive;
    remote.short_message_factor = 1;  // measured at one size
  }
  hosts.push_back({name, cores.cpu, machine.loopback.on_one_core(), machine.loopback, remote,
                   machine.slice, machine.memory_base, register_floats(machine.kernel_set),
                   cores.caches, machine.disk});
  return hosts.back();
}

}  // namespace foretrain::sim
