// Search, over simulations, for the point at which one choice begins to beat another.
#pragma once

#include "reports/studies/whatif/whatif_data.h"
#include "sim/whatif/trials.h"

#include <string>
#include <vector>

namespace foretrain::sim {

/// Cheap searches for trainings with servers; each halves an interval in which the answer changes
/// once:
///
///     the number of workers from which the servers' NICs have most of the critical path (up to
///     kMostWorkers; simulations of kSearchSteps steps)
///     the jitter (lognormal, of all gradients) below which waiting for all of them takes no longer
std::vector<Crossover> find_crossovers(const Trials& trials);

/// Finds the fastest number of servers and bucket size, and, if the scenario has a target, the
/// batch size that reaches it first: doubled or halved from the scenario's value as long as that
/// helps. An answer that `range` cannot distinguish from that value says so.
std::vector<Crossover> find_best(const Trials& trials, const ForecastRange& range = {});

/// Reason why nothing can be searched, and what would be needed; empty if something can.
std::string nothing_to_search(const Scenario& scenario);

inline constexpr int kMostWorkers = 256;
inline constexpr int kSearchSteps = 12;
inline constexpr double kMostJitter = 2;

}  // namespace foretrain::sim
