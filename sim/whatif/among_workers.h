// The changes of how workers exchange what they have without a server.
#pragma once

#include "sim/whatif/intervention.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::sim {

/// Their lines of the registry: what an all-reduce has in parts; whether the devices
/// of a host add up among themselves before hosts do; what these devices would lose by a slower
/// link, one PCI Express 3.0 x16 that all devices of a host share.
void add_changes_among_workers(std::vector<ScenarioChange>& changes);

// As ScenarioChange::apply. Of N workers with P bytes of parameters, p of which the last layer has,
// each sends in a step (models/protocol/gathers.h)
//
//     optimizer in parts      2 (N - 1) / N x P
//     parameters in parts     (N - 1) / N x (3 P - p)
//
// so the more layers there are, the nearer the second is to 1.5 times the first.

/// The optimizer's state alone (ZeRO 1), as an all-reduce has it here by default.
std::optional<std::string> optimizer_in_parts(Scenario& scenario);
/// Parameters, gradients, too (ZeRO 3, FSDP).
std::optional<std::string> parameters_in_parts(Scenario& scenario);

}  // namespace foretrain::sim
