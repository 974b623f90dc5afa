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

/// The machine that `host` names, else this machine; with the roofline and the costs of sending and
/// receiving of the host, if given. No file is looked up if the host itself specifies how long a
/// gradient takes (`compute`, `gflops`, its `device`) or a profile does (`profiled`): messages then
/// cost what the host specifies, and nothing if it specifies nothing.
std::optional<Machine> machine_of(const HostSpec& host, bool profiled,
                                  const MachineLookup& machines);

/// Whether a simulation of the scenario looks up the empty name. `emulated`: its hosts run on this
/// machine's cores. True for any scenario with neighbours, which may need it.
bool asks_this_machine(const Scenario& scenario, bool emulated);

}  // namespace foretrain::sim
