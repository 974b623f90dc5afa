// Hosts by what they are made of, as a table.
#pragma once

#include "scenarios/cluster.h"

#include <string>
#include <vector>

namespace foretrain {

/// A sentence, then a line a host; at most 80 columns.
std::string hardware_table(const std::vector<HostSpec>& hosts);

}  // namespace foretrain
