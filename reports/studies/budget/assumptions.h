// What a search over clusters takes from its scenario, what it has to assume.
#pragma once

#include "reports/studies/budget/candidates.h"

#include <string>
#include <vector>

namespace foretrain {

/// The training that is tried on clusters.
struct BudgetBase {
  /// As it was given, for times alone: without evaluations, checkpoints; a profile's device is that
  /// of the scenario's own hosts, where it names none.
  Case scenario_case;
  double examples = 0;      ///< its work
  bool shortened = false;   ///< it has evaluations or checkpoints, which were left out
  bool own_device = false;  ///< the profile's device is that of the scenario's hosts
};

/// @throws InputError where the scenario says what only its own cluster can have: links, leaves,
/// faults, failures, neighbours, a host that ships batches, stragglers by their numbers, gradients
/// that take other times on other hosts; where it ends at a target, whose time a search does not
/// know
BudgetBase base_of(const Case& scenario_case);

/// A sentence each, for those who read the answer.
std::vector<std::string> assumptions(const BudgetBase& base, const HostsToTry& hosts);

}  // namespace foretrain
