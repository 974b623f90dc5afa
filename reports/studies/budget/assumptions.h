// What a search over clusters takes from its scenario, what it has to assume.
#pragma once

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

}  // namespace foretrain
