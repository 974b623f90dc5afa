// Results as people read them in a terminal.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/spec/cluster.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// One sentence, a line for each operation in the order of a step, the sums, the memory; at most 80
/// columns, unless the figures alone take more. Buckets that come of the same layers share a line.
std::string step_table(std::string_view model, const Training& training);

/// The same of the training that a case describes. @throws InputError
std::string step_text(const Case& scenario_case, DataSets& data_sets);

/// A sentence, then a line a host; at most 80 columns.
std::string hardware_table(const std::vector<HostSpec>& hosts);

}  // namespace foretrain
