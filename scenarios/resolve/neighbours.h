// The trainings that share a scenario's cluster with its own.
#pragma once

#include "scenarios/spec/scenario.h"

#include <vector>

namespace foretrain {

/// What each of `neighbours:` trains, as the file that it names says, on the hosts of this case,
/// without numerics, its random draws its own. Of its `framework:` the start of a session delays
/// its beginning. A host's `compute:` is what its gradients take, too. @throws InputError at its
/// key (a file that is wrong, has a sweep; hosts that are not as many as its nodes)
std::vector<Case> neighbour_cases(const Case& scenario_case);

}  // namespace foretrain
