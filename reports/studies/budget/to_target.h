// The times until a target: gradients for the clusters that are worth them.
#pragma once

#include "reports/studies/budget/assumptions.h"
#include "reports/studies/budget/budget.h"

#include <vector>

namespace foretrain {

/// Of `offers`, whose times and costs are of all their steps, those whose gradients were carried
/// out, with what they take and cost until the target; fills the answer's counts of that, adds to
/// its refused ones.
///
/// Clusters learn alike where strategy, workers, batch are the same and no timing decides the order
/// of gradients (Protocol::deterministic): one training in virtual time, with gradients, tells
/// after how many steps the target is reached on all of them, and each is simulated so far without.
/// Other clusters are a kind each. Of a kind those are left out that another beats in time and in
/// cost, for as many steps.
///
/// Gradients are carried out for kMostLearned kinds: first those with a cluster that none of any
/// kind beats, of these the ones with a cluster that holds both bounds, the cheapest first, then
/// the nearest to both.
///
/// The time ends where the evaluation begins that finds the target, as `time_to_target_s` of a
/// record, with the start-up before it.
///
/// @throws NotDone where it is interrupted
std::vector<Offer> offers_to_target(std::vector<Offer> offers, const BudgetBase& base,
                                    const BudgetOptions& options, BudgetAnswer& answer);

}  // namespace foretrain
