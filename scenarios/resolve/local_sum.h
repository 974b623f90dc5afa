// Workers of a host that add up their gradients before one of them pushes the sum to the servers.
#pragma once

#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <optional>
#include <string>

namespace foretrain {

/// How many gradients a push carries: as many as a host has workers, where they add up first
/// (`training.local_sum`); else one.
int gradients_a_push(const Scenario& scenario);

/// Gradients of workers that make an update of the parameters.
std::int64_t gradients_an_update(const Scenario& scenario);

/// A key that does not go with sums of hosts.
struct AgainstLocalSum {
  std::string key;
  std::string why;  ///< with what to write instead
};
/// The first such key of the scenario, whose placement is right; nothing: hosts may add up, or do
/// not.
std::optional<AgainstLocalSum> against_local_sum(const Scenario& scenario);

}  // namespace foretrain
