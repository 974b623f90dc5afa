// The trainings that share a scenario's cluster with its own.
#pragma once

#include "scenarios/scenario.h"

#include <vector>

namespace foretrain {

/// What each of `neighbours:` trains, as the file that it names says, on the hosts of this case,
/// without numerics. @throws InputError at its key (a file that is wrong, has a sweep; hosts that
/// are not as many as its nodes)
std::vector<Case> neighbour_cases(const Case& scenario_case);

}  // namespace foretrain
