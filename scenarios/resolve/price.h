// The price of a training's hosts.
#pragma once

#include "scenarios/resolve/prepared.h"

#include <set>
#include <string>

namespace foretrain {

/// Price per hour of the named hosts; 0 if no price is given. All hosts of a cluster have the same
/// currency, which check_case.h has checked.
Price price_per_hour(const Scenario& scenario, const std::set<std::string>& hosts);

/// Price per hour of the hosts that have a node of the training or ship its batches.
Price price_per_hour(const Prepared& prepared);

}  // namespace foretrain
