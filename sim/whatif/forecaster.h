// Forecasts for a caller that requests one after another.
#pragma once

#include "reports/studies/whatif/forecast_source.h"
#include "scenarios/resolve/prepared.h"
#include "sim/world/host_machine.h"

#include <functional>

namespace foretrain::sim {

/// `machines`: gives the machines of a case, called once per forecast. Loaded data sets are cached
/// for later forecasts. `cores`: SimulateOptions::cores.
Forecaster forecaster(std::function<MachineLookup(const Prepared&)> machines, int cores = 1);

}  // namespace foretrain::sim
