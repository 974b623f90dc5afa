// The parts of a search over clusters: what it assumes, chooses, what reaches a target.
#pragma once

#include "reports/studies/budget/budget.h"
#include "reports/studies/budget/candidates.h"

#include <string>
#include <vector>

namespace foretrain {

/// The training that is tried on clusters.
struct BudgetBase {
  /// As it was given, without checkpoints; a profile's device is that of the scenario's own hosts,
  /// where it names none. Without a target for times alone: without evaluations, too.
  Case scenario_case;
  double examples = 0;      ///< its work; with a target the most of it
  bool sparse = false;      ///< gradients are carried out for times, too: sizes depend on them
  bool shortened = false;   ///< it has evaluations or checkpoints, which were left out
  bool own_device = false;  ///< the profile's device is that of the scenario's hosts

  /// At which it ends; may be none.
  [[nodiscard]] const Target& target() const { return scenario_case.scenario.training.until; }
};

/// @throws InputError where the scenario says what only its own cluster can have: links, leaves,
/// faults, failures, neighbours, a host that ships batches, stragglers by their numbers, gradients
/// that take other times on other hosts
BudgetBase base_of(const Case& scenario_case);

/// A sentence each, for those who read the answer.
std::vector<std::string> assumptions(const BudgetBase& base, const HostsToTry& hosts);

/// How far beyond the bound that it is farther beyond, 1 at it; infinite where the target is not
/// reached: nobody knows how far that is.
double miss_of(const Offer& offer, const Bounds& bounds);

/// Those that no other beats in time and in cost, the cheapest first. All have reached what they
/// are asked about.
std::vector<Offer> frontier_of(std::vector<Offer> offers);

/// Fills what the answer tells of them: the cheapest, the frontier, what just failed, what never
/// reached the target.
void choose_offers(std::vector<Offer> offers, BudgetAnswer& answer);

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
