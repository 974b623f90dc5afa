// This machine's calibration, kept from one forecast to the next.
#pragma once

#include "reports/record/processor.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/spec/machine.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// Told what happens, a line at a time.
using Tell = std::function<void(const std::string& line)>;

/// Whether this machine is idle, but for this process; says so where others use it: what is
/// measured now is noisy then. Looks for a tenth of a second.
bool idle(const Tell& tell);

/// The file in which this machine's calibration is kept, in the cache: called after the host, the
/// processor, what is measured (`calibration_name`), so a new build of the same kernels reads it.
std::filesystem::path calibration_file();
/// `measured`: as kMeasured (transport/build_name.h), so each set of kernels has its own.
std::string calibration_name(const std::string& host, const Processor& processor,
                             std::string_view measured);

/// What is known of this machine for the model of `prepared`; nothing: not enough yet. Says so
/// where it is noisy. Figures of other kernels or of another machine are not used. `emulated`:
/// messages between emulated hosts too. From any thread, at once. @throws InputError
std::optional<Machine> kept_machine(const Prepared& prepared, bool emulated, const Tell& tell);

/// The same, measured where it is not known yet: it says so, takes a while, and keeps it. Where
/// others use the machine meanwhile, that is noted (Machine::others_used), and every command that
/// uses it says so. `stopped`: as that of CalibrateOptions. From any thread, one after another.
/// @throws NotDone where it was stopped, or a signal came: nothing of that is kept
Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell,
                       const std::function<bool()>& stopped = {});

/// Lets go of a calibration that is noisy where this machine is idle now, so that it is measured
/// anew: a run beside its forecast is worth that. Says so. Looks for a tenth of a second.
void forget_noisy(const Tell& tell);

/// What is measured where nobody names a model: softmax, lenet, lenet_large, sparse_logistic.
std::vector<Case> usual_cases();

/// Measures this machine anew, each model of `cases` (empty: usual_cases), and writes the machine
/// file `out`; empty: the cache. Returns its path.
std::filesystem::path calibrate_to(const std::filesystem::path& out, const std::vector<Case>& cases,
                                   const Tell& tell);

}  // namespace foretrain::exec
