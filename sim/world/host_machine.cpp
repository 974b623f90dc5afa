#include "sim/world/host_machine.h"

namespace foretrain::sim {

std::optional<Machine> machine_of(const HostSpec& host, bool profiled,
                                  const MachineLookup& machines) {
  std::optional<Machine> machine;
  const bool timed = host.compute || host.roofline.described() || profiled ||
                     (host.devices > 0 && host.device.described());
  if (!timed || !host.machine.empty()) machine = machines(host.machine);
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
  if (host.send != nothing) machine->loopback.send = host.send;
  if (host.receive != nothing) machine->loopback.receive = host.receive;
  return machine;
}

}  // namespace foretrain::sim
