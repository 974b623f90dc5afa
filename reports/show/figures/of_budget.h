// Clusters to rent: their time against their cost.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/budget/budget.h"

namespace foretrain {

/// The frontier, what just failed, both bounds; time against cost.
Figure budget_figure(const BudgetAnswer& answer);

/// Where the figures come from.
inline constexpr const char* kBudgetSource = "simulated on hosts of the library";

}  // namespace foretrain
