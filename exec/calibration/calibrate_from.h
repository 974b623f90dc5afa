// A machine file from what was measured elsewhere.
#pragma once

#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// What `foretrain calibrate --from` is given.
struct Measurements {
  /// Each the folder of a record of one worker, or a CSV file (scenarios/resolve/batch_times.h).
  /// All of one model; they may differ in batch size.
  std::vector<std::string> from;
  std::string model{};                  ///< key of the model that CSV files are of; empty: not said
  std::optional<Case> scenario_case{};  ///< instead of `model`: its model
  std::string machine{};                ///< machine file that has the rest; empty: defaults
};

/// A machine with what is to be said of it, a sentence a line.
struct MachineFrom {
  Machine machine;
  std::vector<std::string> notes;
};

/// The compute of a model: medians over the gradients of a batch size, all sources together.
///
///     two batch sizes     overhead + examples x per_example, through both
///     others, or where that line would have a part below zero: the table `gradient_times`
///     jitter              log(upper / lower quartile) / 1.349, the deviation of a lognormal's
///                         logarithm; the median over batch sizes with eight gradients or more
///     evaluate            records: median time / test examples; CSV: none
///
/// Everything else (messages, apply, slice, contention, memory) is what `machine` says, else a
/// default; the notes say which is not measured, and what a scenario's `checkpoint:` has to say for
/// forecasts of as long checkpoints as the records had.
///
/// Realism: a step time of another system holds whatever it counted into a step (input, transfers),
/// so the forecast has that in its compute. Steps of a record count as its workers saw them, slowed
/// by whatever ran beside them.
/// @throws InputError, DataError: a source that is missing or damaged, of several workers, another
/// model, slowed or timed by its scenario (stragglers, compute:, framework: and their like); no
/// model named, or one that no scenario has and `machine` does not know
MachineFrom machine_from(const Measurements& measurements);

/// Writes that machine to the file `out`. Returns the notes.
/// @throws InputError also where no file is named, or it cannot be written
std::vector<std::string> calibrate_from(const std::filesystem::path& out,
                                        const Measurements& measurements);

}  // namespace foretrain::exec
