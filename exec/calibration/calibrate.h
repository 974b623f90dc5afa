// Measures the costs of this machine that a forecast needs.
#pragma once

#include "exec/calibration/core_watch.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct CalibrateOptions {
  /// The program whose `node` subcommand is a node.
  std::filesystem::path program = "/proc/self/exe";
  /// Receives what is being measured and what is noisy, as messages for the user.
  std::function<void(const std::string& what)> progress;
  /// Polled before each measurement; true ends the calibration. If empty, only signals do.
  std::function<bool()> stopped{};
  /// Minimum number of repetitions; a noisy measurement has up to three times as many.
  int repetitions = 5;
  /// Minimum and maximum duration of a training of one worker; it ends when its steps are steady.
  double shortest_s = 0.5;
  double longest_s = 3;
  /// After this time nothing is repeated because of noise.
  std::chrono::steady_clock::time_point patience = std::chrono::steady_clock::time_point::max();
  /// Looks at this machine's cores before and after each measurement; if empty, look_at.
  std::function<CoreLook()> look{};
  /// This process is one of several tasks of a launcher, but only its own machine is measured.
  bool among_tasks = false;
  /// Also measure messages between emulated hosts, if this machine can emulate.
  bool emulate = false;
  /// Folder in which parts of checkpoints are written; if empty, place_of_records (disk_costs.h).
  std::filesystem::path disk{};
};

/// Options for a first forecast that a user waits for: about half a minute on two quiet cores, with
/// one model. Fewer repetitions, shorter trainings, less patience with noise.
CalibrateOptions brief_calibration();

/// Measures messages over loopback and over the shaped links of emulated hosts; waking a sleeping
/// node; reducing and applying; time slices of a shared core; memory of a node's process; parts of
/// checkpoints on the disk; then each model of `cases` once (measure_model). All trainings have one
/// worker, so every forecast for more workers is a genuine forecast. The machine states the date,
/// the spread of each figure, and what was not measured. @throws NotDone if it was stopped, or a
/// signal came (reports/record/interruption.h); the three functions below, too
Machine calibrate(const std::vector<Case>& cases, const CalibrateOptions& asked);

/// Adds the model of `scenario_case` to the machine's known models, unless it is known.
void calibrate_model(Machine& machine, const Case& scenario_case, const CalibrateOptions& asked);

/// Adds the costs of messages between emulated hosts, or the reason why they cannot be measured.
void calibrate_emulation(Machine& machine, const CalibrateOptions& options);

/// Multiplies the times of a working core (gradients, updates, messages, bytes from caches and
/// memory, switches between them) by `factor` (CoreWatch::settled). Times that the core's speed
/// does not determine stay: wake-up, slices, a bandwidth shared by cores, a disk.
void settle(Machine& machine, double factor);

/// Ends the calibration if nobody waits for it any more. @throws NotDone
void check_wanted(const CalibrateOptions& options);

}  // namespace foretrain::exec
