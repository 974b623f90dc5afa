#include "sim/world/host_machine.h"

#include <algorithm>

namespace foretrain::sim {
namespace {

/// The host itself, or the profile, specifies how long a gradient takes.
bool says_its_time(const HostSpec& host, bool profiled) {
  return host.compute || host.roofline.described() || profiled ||
         (host.devices > 0 && host.device.described());
}

}  // namespace

std::optional<Machine> machine_of(const HostSpec& host, bool profiled,
                                  const MachineLookup& machines) {
  std::optional<Machine> machine;
  if (!says_its_time(host, profiled) || !host.machine.empty()) machine = machines(host.machine);
  const AffineCost nothing;
  const bool has_costs =
      host.roofline.described() || host.send != nothing || host.receive != nothing;
  if (!has_costs) return machine;
  if (!machine) {
    machine.emplace();
    machine->name = host.name;
    machine->cores = host.cores;
  }
  if (host.roofline.described()) machine->roofline = host.roofline;
  TransportCost& transport = machine->loopback;
  if (host.send != nothing) transport.send = host.send;
  if (host.receive != nothing) transport.receive = host.receive;
  if (host.send != nothing || host.receive != nothing) transport.one_core_byte_s = 0;
  return machine;
}

bool asks_this_machine(const Scenario& scenario, bool emulated) {
  if (emulated || scenario.cluster.hosts.empty() || !scenario.colocated_jobs.empty()) return true;
  return std::ranges::any_of(scenario.cluster.hosts, [&](const HostSpec& host) {
    return host.machine.empty() && !says_its_time(host, scenario.model.profiled());
  });
}

}  // namespace foretrain::sim
