// Results as people read them in a terminal.
#pragma once

#include "models/protocol/training.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/validation/validation.h"
#include "scenarios/case_data.h"
#include "scenarios/cluster.h"
#include "scenarios/scenario.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Of more cases a line stands for a strategy.
inline constexpr std::size_t kBriefCases = 8;

/// The sentence that matters, what was trained, then of each case how fast its steps were, how fast
/// they were forecast, what it learned; of very many, of each strategy how large the errors were.
/// At the end, where the machine is not as it was calibrated, that. As wide as the terminal at
/// most.
std::string validation_brief(const Validation& validation);

/// One sentence, a line for each operation in the order of a step, the sums, the memory; at most 80
/// columns, unless the figures alone take more. Buckets that come of the same layers share a line.
std::string step_table(std::string_view model, const Training& training);

/// The same of the training that a case describes. @throws InputError
std::string step_text(const Case& scenario_case, DataSets& data_sets);

/// A sentence, then a line a host; at most 80 columns.
std::string hardware_table(const std::vector<HostSpec>& hosts);

/// The sentence that matters, the frontier, what just failed and by what, what is assumed; at most
/// 80 columns.
std::string budget_table(const BudgetAnswer& answer);

}  // namespace foretrain
