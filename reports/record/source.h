// Where a record's figures come from, for those who read them.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <vector>

namespace foretrain {

/// Which mode, machine, calibration a record comes from, in short: `run on this machine, avx2
/// kernels`, `simulated on this machine, calibrated 2026-11-25`, `simulated by compute: 20 ms`.
/// That a machine was calibrated is said of one that somebody measured alone.
std::string source_of(const Record& record);
/// Of all of them, each once.
std::string source_of(const std::vector<Record>& records);

/// What a simulation stands on, a sentence or two: whose compute, how it was found, how sure that
/// is; of checkpoints that their disk is assumed, where it is; which jitter gradients have, and
/// what it means that they have none. Empty for a run, for a record of an older program.
std::string basis_sentence(const Record& record);

/// Of a run whose machine others used more than a little meanwhile, how much, and what that means.
/// Empty for others, for a simulation.
std::string others_sentence(const Record& record);

}  // namespace foretrain
