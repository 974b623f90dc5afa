// Forecasts for whoever asks one after another.
#pragma once

#include "reports/studies/whatif/forecaster.h"
#include "scenarios/resolve/prepared.h"
#include "sim/world/host_machine.h"

#include <functional>

namespace foretrain::sim {

/// `machines`: those of a case, asked once a forecast. What is read of a data set stays for the
/// next one. `cores`: SimulateOptions::cores.
Forecaster forecaster(std::function<MachineLookup(const Prepared&)> machines, int cores = 1);

}  // namespace foretrain::sim
