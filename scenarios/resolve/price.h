// What a training costs.
#pragma once

#include "scenarios/resolve/prepared.h"

#include <set>
#include <string>

namespace foretrain {

/// What the hosts of a cluster cost an hour that are called so; 0 where none says its price. All of
/// a cluster have one currency: whoever reads a scenario has seen to that (check.h).
Price price_per_hour(const Scenario& scenario, const std::set<std::string>& hosts);

/// What those cost that have a node of the training, or ship its batches.
Price price_per_hour(const Prepared& prepared);

}  // namespace foretrain
