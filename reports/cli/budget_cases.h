// What `foretrain whatif --deadline --budget` does beside simulating.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/studies/budget/budget.h"

namespace foretrain {

/// Finds the cheapest cluster of the library; writes budget.txt, budget.json, cluster.yaml (the
/// scenario on the cluster that was found, or on the fastest within the budget), the page with its
/// figure, and scenario.yaml, which says of what, into the folder of the answer. `modes`: its
/// simulate, limit, threads count. Returns kFailed where no cluster holds both. @throws InputError,
/// NotDone
int budget_cases(const Arguments& arguments, BudgetOptions modes);

}  // namespace foretrain
