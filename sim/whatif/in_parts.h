// The changes of what workers of an all-reduce have in parts.
#pragma once

#include "scenarios/scenario.h"

#include <optional>
#include <string>

namespace foretrain::sim {

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
