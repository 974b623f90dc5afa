// Local reduction: workers of a host add up their gradients before one of them pushes the sum.
#pragma once

#include "scenarios/resolve/rules.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <optional>

namespace foretrain {

/// Gradients in a push: the number of workers per host with `training.local_sum`, else one.
int gradients_a_push(const Scenario& scenario);

/// Gradients in an update of the parameters.
std::int64_t gradients_an_update(const Scenario& scenario);

/// The first key that cannot be combined with local reduction, with what to write instead; nothing
/// if local reduction is allowed or not asked for. The placement has to be valid.
std::optional<BrokenRule> against_local_reduction(const Scenario& scenario);

}  // namespace foretrain
