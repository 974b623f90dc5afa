// The neighbours of a training: other trainings on the same cluster.
#pragma once

#include "scenarios/spec/scenario.h"

#include <vector>

namespace foretrain {

/// Reads each of `neighbours:` from its file and places it on the hosts of this case, without
/// numerics and with its own random draws. Its `framework.session_start` delays its start. A host's
/// `compute:` is also the time of its gradients.
/// @throws InputError at its key: an invalid file, a file with a sweep, a number of hosts that
/// differs from its number of nodes
std::vector<Case> colocated_cases(const Case& scenario_case);

}  // namespace foretrain
