// Clusters to rent, as a table.
#pragma once

#include "reports/studies/budget/budget.h"

#include <string>

namespace foretrain {

/// The sentence that matters, the frontier, what just failed and by what, what is assumed; at most
/// 80 columns.
std::string budget_table(const BudgetAnswer& answer);

}  // namespace foretrain
