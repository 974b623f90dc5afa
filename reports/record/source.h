// Where a record's figures come from, for those who read them.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Where a forecast comes from: `simulated on xeon-4114, calibrated`, or `uncalibrated: why`.
std::string simulated_on(std::string_view machine, std::string_view uncalibrated);
/// Which mode, machine, calibration a record comes from: `run on this machine, avx2 kernels`,
/// `simulated on xeon-4114, calibrated`.
std::string source_of(const Record& record);
/// Of all of them, each once.
std::string source_of(const std::vector<Record>& records);

}  // namespace foretrain
