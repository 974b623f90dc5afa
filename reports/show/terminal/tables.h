// Results as people read them in a terminal.
#pragma once

#include "models/protocol/training.h"
#include "reports/record/record.h"
#include "scenarios/case_data.h"
#include "scenarios/cluster.h"
#include "scenarios/scenario.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What came out, in one sentence: `sync run: 1,000 gradients in 0.41 s, ...`.
std::string record_sentence(const Record& record);

/// Of which nodes there is a line: kShownNodes of them, as many of each kind as there are, or all.
enum class NodeLines { few, all };
inline constexpr std::size_t kShownNodes = 10;

/// The sentence with what came out, then the figures, then the nodes; as wide as the terminal at
/// most. `build`: that wrote the record, where it is known.
std::string summary_table(const Record& record, std::string_view build = {},
                          NodeLines lines = NodeLines::few);

/// One sentence, a line for each operation in the order of a step, the sums, the memory; at most 80
/// columns, unless the figures alone take more. Buckets that come of the same layers share a line.
std::string step_table(std::string_view model, const Training& training);

/// The same of the training that a case describes. @throws InputError
std::string step_text(const Case& scenario_case, DataSets& data_sets);

/// A sentence, then a line a host; at most 80 columns.
std::string hardware_table(const std::vector<HostSpec>& hosts);

}  // namespace foretrain
