// The source of a record's figures, as sentences for people.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <vector>

namespace foretrain {

/// Mode, machine and calibration of a record, in short: `run on this machine, avx2 kernels`,
/// `simulated on this machine, calibrated 2026-11-25`, `simulated by compute: 20 ms`. Only measured
/// machines are called calibrated.
std::string source_of(const Record& record);
/// The sources of all records, without repetition.
std::string source_of(const std::vector<Record>& records);

/// The basis of a simulation in a few sentences: source and accuracy of compute times, the disk of
/// checkpoints if it is assumed, TCP's CPU time if that is large, the jitter of gradients, or what
/// its absence implies. Empty for a run, or in older records.
std::string basis_sentence(const Record& record);

/// How much of the machine other programs used during a run, with the consequence. Empty if it was
/// 10 % or less, or for a simulation.
std::string others_sentence(const Record& record);

}  // namespace foretrain
