// What a record says of the cores that it was made on.
#pragma once

#include "reports/record/record.h"

#include <optional>

namespace foretrain {

/// How far apart the cores of a run were; of a simulation, those between which its loopback was
/// measured. Empty where nobody looked.
std::optional<CoreDistance> core_distance(const Record& record);

/// What the reference kernel took in a probe of `run`: on all cores at once, where its nodes had
/// more than one, else on that one.
double reference_s(const Record& run, const CoreProbe& probe);

/// How much slower the cores of `run` were than those that `simulated` was calibrated on: 1.2, 20 %
/// slower. Mean of all probes. Empty where nobody looked.
std::optional<double> drift_between(const Record& run, const Record& simulated);

/// How much faster and slower than in its median the machine was while it was calibrated.
struct SpeedRange {
  double low = 1;   ///< the fastest moments take so much of the median's time
  double high = 1;  ///< the slowest
};
/// Of a simulation whose machine wandered by more than kWander; else, and of machines that nobody
/// looked at, 1 and 1: its forecast is one number. By the reference kernel as `reference_s` has it.
SpeedRange speed_range(const Record& simulated);

}  // namespace foretrain
