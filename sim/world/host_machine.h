// What a host of a scenario costs: its machine file with what is written at the host itself.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <functional>
#include <optional>
#include <string>

namespace foretrain::sim {

/// The machine file of a name in a scenario; the empty name is this machine's calibration.
/// @throws InputError where there is none
using MachineLookup = std::function<Machine(const std::string& name)>;

/// The machine that `host` names, else this one; its roofline, its costs of sending, of receiving
/// where the host has its own. Neither is looked up where the host says by itself how long a
/// gradient takes (`compute`, `gflops`, its `device`), or a profile does (`profiled`): then
/// messages, too, cost only what is written at the host, and it is nothing where nothing is.
std::optional<Machine> machine_of(const HostSpec& host, bool profiled,
                                  const MachineLookup& machines);

/// Whether a simulation of the scenario, its hosts on this machine's cores (`emulated`) or not,
/// looks up the empty name. Of one with neighbours: perhaps.
bool asks_this_machine(const Scenario& scenario, bool emulated);

}  // namespace foretrain::sim
