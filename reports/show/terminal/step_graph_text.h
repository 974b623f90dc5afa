// The step graph of a training, as a table or as a drawing for Graphviz.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/case_data.h"
#include "scenarios/scenario.h"

#include <string>
#include <string_view>

namespace foretrain {

/// One sentence, a line for each operation in the order of a step, the sums, the memory; at most 80
/// columns, unless the figures alone take more. Buckets that come of the same layers share a line.
std::string step_table(std::string_view model, const Training& training);

/// The same operations in the language of Graphviz: `foretrain check FILE --graph dot | dot -Tsvg`.
std::string step_dot(std::string_view model, const Training& training);

/// Of the training that a case describes; `dot`: as a drawing. @throws InputError
std::string step_text(const Case& scenario_case, bool dot, DataSets& data_sets);

}  // namespace foretrain
