// Tables for a terminal.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/spec/cluster.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A sentence, a line for each operation in the order of a step, the sums, the memory; as wide as
/// the terminal, unless the numbers need more. Buckets of the same layers share a line.
std::string step_table(std::string_view model, const Training& training);

/// The same for the training of a case. @throws InputError
std::string step_text(const Case& scenario_case, DataSets& data_sets);

/// A sentence, then a line of at most 80 columns for each host.
std::string hardware_table(const std::vector<HostSpec>& hosts);

/// A sentence, then a line of at most 80 columns for each network of the library.
/// @throws InputError if a file of the library is invalid
std::string network_table();

}  // namespace foretrain
