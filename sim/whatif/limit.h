// What a critical path says of the resources along it: which of them limits the training.
#pragma once

#include "reports/studies/whatif/forecast.h"
#include "reports/studies/whatif/whatif.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "sim/whatif/critical_path.h"
#include "sim/world/host_machine.h"

#include <vector>

namespace foretrain::sim {

/// The resources along the path, the largest part first.
std::vector<PathShare> path_shares(const CriticalPath& path);

/// What has the largest part; both directions of the servers' NICs are one. No change is named.
Limit limit_of(const CriticalPath& path);

/// What limits the training of a case, simulated whole by these machines.
/// @throws InputError as simulate; NotDone where it does not end
Limit limit_of(const Prepared& prepared, const MachineLookup& machines, DataSets& data_sets);

/// The training of a case with what limits it, in one simulation, whose history is kept: for those
/// of a few thousand steps. Of one that was interrupted, or failed, the record alone. The variant
/// of `options` is chosen here. @throws InputError as simulate
Forecast forecast_of(const Prepared& prepared, SimulateOptions options);

/// Of the path, all NICs together.
double network_share(const CriticalPath& path);

}  // namespace foretrain::sim
