// The resource that limits a training, found from its critical path.
#pragma once

#include "reports/studies/whatif/forecast.h"
#include "reports/studies/whatif/whatif_data.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "sim/whatif/critical_path.h"
#include "sim/world/host_machine.h"

#include <vector>

namespace foretrain::sim {

/// The resources along the path, the largest part first.
std::vector<PathShare> path_shares(const CriticalPath& path);

/// The resource with the largest part; both directions of the servers' NICs count together. Names
/// no change.
Limit limit_of(const CriticalPath& path);

/// The limit of a case, from one complete simulation.
/// @throws InputError as simulate; NotDone if the training does not end
Limit limit_of(const Prepared& prepared, const MachineLookup& machines, DataSets& data_sets);

/// The training of a case with its limit, from one simulation with a history: for a few thousand
/// steps. If the simulation is interrupted or fails, only the record is filled in. Replaces the
/// variant of `options`. @throws InputError as simulate
Forecast forecast_of(const Prepared& prepared, SimulateOptions options);

/// Part of the path that all NICs have together.
double network_share(const CriticalPath& path);

}  // namespace foretrain::sim
