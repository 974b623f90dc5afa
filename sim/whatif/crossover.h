// Where one choice begins to beat another: search over simulations.
#pragma once

#include "reports/studies/whatif/whatif.h"
#include "sim/whatif/trials.h"

#include <string>
#include <vector>

namespace foretrain::sim {

/// What can be asked at little cost, each by halving an interval in which the answer changes once:
///
///     from how many workers the NICs of servers have most of the critical path (up to
///     kMostWorkers; of kSearchSteps steps each)
///     below which jitter (lognormal, of all gradients) waiting for all of them takes no longer
std::vector<Crossover> find_crossovers(const Trials& trials);

/// Which number of servers, bucket size is soonest, and, where the scenario has a target, which
/// batch size reaches it: doubled, halved from what the scenario has for as long as that helps. An
/// answer that `range` cannot tell from that says so.
std::vector<Crossover> find_best(const Trials& trials, const ForecastRange& range = {});

/// Why there is nothing of that to search, with what there would have to be; empty: there is.
std::string nothing_to_search(const Scenario& scenario);

inline constexpr int kMostWorkers = 256;
inline constexpr int kSearchSteps = 12;
inline constexpr double kMostJitter = 2;

}  // namespace foretrain::sim
