// The cache of this machine's calibration.
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

/// Receives progress messages, one line at a time.
using Tell = std::function<void(const std::string& line)>;

/// Whether other processes leave this machine idle; if not, reports that measurements are noisy
/// now. Observes for a tenth of a second.
bool idle(const Tell& tell);

/// The cache file of this machine's calibration. Its name (`calibration_name`) contains the host,
/// the processor and the measured sources, so a new build of the same kernels uses the same file.
std::filesystem::path calibration_file();
/// `measured`: as kMeasured (transport/build_name.h), so each set of kernels has its own file.
std::string calibration_name(const std::string& host, const Processor& processor,
                             std::string_view measured);

/// The cached machine, if it has everything for the model of `prepared`; else nullopt. Reports a
/// noisy calibration. Figures of other kernels or of another machine are not used. `emulated`: also
/// messages between emulated hosts. Concurrent calls from any thread. @throws InputError
std::optional<Machine> kept_machine(const Prepared& prepared, bool emulated, const Tell& tell);

/// As `kept_machine`, but measures what is missing, reports that, and caches it. If others use the
/// machine meanwhile, that is stored (Machine::others_used), and every command that uses the file
/// reports it. `stopped`: as in CalibrateOptions. Calls from any thread are serialized.
/// @throws NotDone if it was stopped, or a signal came; nothing is cached then
Machine cached_machine(const Prepared& prepared, bool emulated, const Tell& tell,
                       const std::function<bool()>& stopped = {});

/// Removes a noisy calibration if this machine is idle now, so that it is measured anew: used for a
/// run that is compared with its forecast. Reports it. Observes for a tenth of a second.
void forget_noisy(const Tell& tell);

/// Models that are measured if none is named: softmax, lenet, lenet_large, sparse_logistic.
std::vector<Case> usual_cases();

/// Measures this machine anew with each model of `cases` (usual_cases if empty), and writes the
/// machine file `out` (the cache if empty). Returns its path.
std::filesystem::path calibrate_to(const std::filesystem::path& out, const std::vector<Case>& cases,
                                   const Tell& tell);

}  // namespace foretrain::exec
