// Clusters to rent, as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/budget/budget.h"

namespace foretrain {

/// What holds both bounds; the frontier as a drawing, as a table; what just failed; what is
/// assumed.
Page budget_page(const BudgetAnswer& answer);

}  // namespace foretrain
