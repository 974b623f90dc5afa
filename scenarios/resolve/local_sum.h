// Workers of a host that add up their gradients before one of them pushes the sum to the servers.
#pragma once

#include "scenarios/resolve/rules.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <optional>

namespace foretrain {

/// How many gradients a push carries: as many as a host has workers, where they add up first
/// (`training.local_sum`); else one.
int gradients_a_push(const Scenario& scenario);

/// Gradients of workers that make an update of the parameters.
std::int64_t gradients_an_update(const Scenario& scenario);

/// The first key that cannot be used while a host's workers add up, with what to write instead;
/// nothing if they may, or do not. The placement has been checked.
std::optional<BrokenRule> against_local_sum(const Scenario& scenario);

}  // namespace foretrain
