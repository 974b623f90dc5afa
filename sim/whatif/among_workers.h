// The changes of how workers exchange what they have without a server.
#pragma once

#include "sim/whatif/intervention.h"

#include <vector>

namespace foretrain::sim {

/// Their lines of the registry: what an all-reduce has in parts (in_parts.h); whether the devices
/// of a host add up among themselves before hosts do; what these devices would lose by a slower
/// link, one PCI Express 3.0 x16 that all devices of a host share.
void add_changes_among_workers(std::vector<ScenarioChange>& changes);

}  // namespace foretrain::sim
