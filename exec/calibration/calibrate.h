// Measures what this machine costs, as far as a forecast needs it.
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
  /// Told what is being measured, and what is noisy, for people.
  std::function<void(const std::string& what)> progress;
  /// Asked before each measurement: true ends all of it. Empty: signals alone do.
  std::function<bool()> stopped{};
  /// Of each measurement, at least; a noisy one has up to three times as many.
  int repetitions = 5;
  /// A training of one worker takes so long at least, and at most: until its steps are steady.
  double shortest_s = 0.5;
  double longest_s = 3;
  /// Nothing noisy is measured again after this.
  std::chrono::steady_clock::time_point patience = std::chrono::steady_clock::time_point::max();
  /// Looks at this machine's cores before each measurement, and after it; empty: look_at.
  std::function<CoreLook()> look{};
  /// This process is one of several tasks that a launcher has started; its machine alone is meant.
  bool among_tasks = false;
  /// Measure messages between emulated hosts too, where this machine can emulate.
  bool emulate = false;
  /// The folder in which parts of checkpoints are tried; empty: place_of_records (disk.h).
  std::filesystem::path disk{};
};

/// For somebody who waits for a first forecast: about half a minute on two quiet cores, one model
/// included. Fewer repetitions, shorter trainings, no more patience with noise than that.
CalibrateOptions brief_calibration();

/// Measures messages over loopback, over the shaped links of emulated hosts; waking who sleeps;
/// reducing and applying; slices of a shared core; memory of a node's process; parts of checkpoints
/// on the disk; then each model of `cases` (measure_model), once. No run has more than one worker,
/// so that every forecast of one is a forecast. The machine says when that was, how sure each
/// figure is, and what was not measured.
/// @throws NotDone where it was stopped, or a signal came meanwhile
/// (reports/record/interruption.h), as the three below
Machine calibrate(const std::vector<Case>& cases, const CalibrateOptions& asked);

/// Adds the model of `scenario_case` to what is known of this machine, unless it is known.
void calibrate_model(Machine& machine, const Case& scenario_case, const CalibrateOptions& asked);

/// Adds messages between emulated hosts; where they cannot be made, why.
void calibrate_emulation(Machine& machine, const CalibrateOptions& options);

/// What a core takes that works (gradients, updates, messages, bytes out of caches and memory,
/// changes between them) becomes `factor` times as long (CoreWatch::settled). What others decide
/// stays: how a sleeper is woken, slices, a bandwidth that cores share, a disk.
void settle(Machine& machine, double factor);

/// Ends what nobody waits for any more.
void check_wanted(const CalibrateOptions& options);

}  // namespace foretrain::exec
