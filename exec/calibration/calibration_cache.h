// This machine's calibration, kept from one forecast to the next.
#pragma once

#include "scenarios/machine.h"
#include "scenarios/prepared.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Told what happens, a line at a time.
using Tell = std::function<void(const std::string& line)>;

/// Whether this machine is idle, but for this process; says so where others use it: what is
/// measured now is not worth keeping then. Looks for a tenth of a second.
bool idle(const Tell& tell);

/// What is known of this machine for the model of `prepared`, measured where it is not known
/// yet: it says so, takes a while, and keeps it. Figures of another build of the program or of
/// another machine are not used. `emulated`: messages between emulated hosts too. @throws NotDone
/// where a signal came while it measured: nothing of that is kept
Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell);

/// Hand-overs between cores that the calibration in the file `machine` met; empty: the one that is
/// kept. None where it says nothing of them, or is not there.
KnownHandovers known_handovers(const std::filesystem::path& machine);

/// What is measured where nobody names a model: softmax, lenet, lenet_large, sparse_logistic.
std::vector<Case> usual_cases();

/// Measures this machine anew, each model of `cases` (empty: usual_cases), and writes the machine
/// file `out`; empty: the cache. Returns its path.
std::filesystem::path calibrate_to(const std::filesystem::path& out, const std::vector<Case>& cases,
                                   const Tell& tell);

}  // namespace foretrain::exec
