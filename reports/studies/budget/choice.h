// Which of the clusters that were tried are told.
#pragma once

#include "reports/studies/budget/budget.h"

#include <vector>

namespace foretrain {

/// How far beyond the bound that it is farther beyond, 1 at it; infinite where the target is not
/// reached: nobody knows how far that is.
double miss_of(const Offer& offer, const Bounds& bounds);

/// Those that no other beats in time and in cost, the cheapest first. All have reached what they
/// are asked about.
std::vector<Offer> frontier_of(std::vector<Offer> offers);

/// Fills what the answer tells of them: the cheapest, the frontier, what just failed, what never
/// reached the target.
void choose_offers(std::vector<Offer> offers, BudgetAnswer& answer);

}  // namespace foretrain
