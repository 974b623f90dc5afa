// The hosts that the library knows by name: scenarios/hardware/NAME.yaml.
#pragma once

#include "scenarios/cluster.h"

#include <vector>

namespace foretrain {

/// Each as `like: NAME` alone makes it, called NAME, in the order of names; with the rows of all
/// networks that it was measured with, of which a case keeps those that count (check.h).
/// @throws InputError where there is no library, or a file of it is wrong
std::vector<HostSpec> library_hosts();

}  // namespace foretrain
