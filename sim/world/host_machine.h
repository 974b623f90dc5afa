// The costs of a scenario's host: its machine file with what the host overrides.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <functional>
#include <optional>
#include <string>

namespace foretrain::sim {

/// Looks up the machine file of a name in a scenario; the empty name is this machine's calibration.
/// @throws InputError if there is none
using MachineLookup = std::function<Machine(const std::string& name)>;

/// The machine that `host` names, else this machine; with the roofline and the message costs of the
/// host, if given. A host that names none needs no file if the host itself (`compute`, `gflops`,
/// its `device`) or a profile (`profiled`) specifies how long a gradient takes: the result then has
/// only what the host specifies, or is nullopt.
std::optional<Machine> machine_of(const HostSpec& host, bool profiled,
                                  const MachineLookup& machines);

/// Whether a simulation of the scenario needs this machine's calibration. `emulated`: its hosts run
/// on this machine's cores. True for any scenario with neighbours, which may need it.
bool asks_this_machine(const Scenario& scenario, bool emulated);

}  // namespace foretrain::sim
