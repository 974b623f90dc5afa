// A machine file from measurements made elsewhere.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Arguments of `foretrain calibrate --from`.
struct Measurements {
  /// Folders of records of one worker, or CSV files (scenarios/resolve/batch_times.h). All are for
  /// one model; they may differ in batch size.
  std::vector<std::string> from;
  std::string model{};                  ///< key of the CSV files' model; empty if not given
  std::optional<Case> scenario_case{};  ///< a case whose model is used instead of `model`
  std::string machine{};                ///< machine file with all other figures; defaults if empty
};

/// A machine with remarks about it, one sentence per line.
struct MachineFrom {
  Machine machine;
  std::vector<std::string> notes;
};

/// Computes the cost of a model from medians over the gradients of a batch size, over all sources:
///
///     two batch sizes     overhead + examples x per_example, through both
///     otherwise, or if that line has a negative coefficient: the table `gradient_times`
///     jitter              log(upper / lower quartile) / 1.349, the standard deviation of the
///                         logarithm (lognormal); median over batch sizes with 8 gradients or more
///     evaluate            records: median time / test examples; CSV: none
///
/// All other figures (messages, apply, slice, contention, memory) come from `machine`, else they
/// are defaults. The notes name the figures that are not measured, and the scenario's `checkpoint:`
/// settings with which forecasts have checkpoints as long as those of the records.
///
/// Realism: a step time of another system contains whatever that system counts (input, transfers),
/// so the forecast has it in its compute. Steps of a record count as its workers saw them,
/// including slowdowns by other programs.
/// @throws InputError, DataError: a source is missing or damaged, has several workers or another
/// model, or is slowed or timed by its scenario (stragglers, compute:, framework: and the like); no
/// model is named, or one that neither a scenario nor `machine` knows
MachineFrom machine_from(const Measurements& measurements);

/// Writes that machine to the file `out`. Returns the notes.
/// @throws InputError also if no file is named, or it cannot be written
std::vector<std::string> calibrate_from(const std::filesystem::path& out,
                                        const Measurements& measurements);

}  // namespace foretrain::exec
