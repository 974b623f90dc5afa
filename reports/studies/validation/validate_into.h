// A validation that saves its records in a folder, so that it can be continued.
#pragma once

#include "reports/studies/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// The functions that run, simulate, replay a case.
struct Modes {
  std::function<Record(const Case&)> run;
  std::function<Record(const Case&)> simulate;
  Replay replay{};
  OwnTimes own_times{};
  OfMoment of_moment{};
};

struct ValidateOptions {
  std::filesystem::path folder;
  int repetitions = 5;  ///< runs of each case, one or more
  /// Sets a finished validation in `folder` aside; if false, its runs are used again. An unfinished
  /// validation is continued in either case.
  bool anew = false;
  /// Sets a validation of another scenario aside, as `anew` does too. If both are false, throws.
  bool replace = false;
  /// Receives a progress line before each training: `case 17 of 104, repetition 2 of 5, about 12
  /// min left`.
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
  /// Receives notes on what is in the folder already, and what happens to it.
  std::function<void(const std::string& line)> note = [](const std::string&) {};
};

/// Runs every case `repetitions` times, alternating over the cases so that a slow minute of the
/// machine affects all of them. Then it simulates each case once, replays the runs of protocols
/// that are not deterministic, and simulates one run of each case with its recorded compute times.
///
/// Writes run/CASE/1, run/CASE/2, ... and simulate/CASE into the folder. Older records that are set
/// aside move to earlier-1, earlier-2, ... in it: a measured run is never removed. The record of a
/// failed training goes to broken/CASE; the other runs stay valid. A new start skips the complete
/// runs of the same resolved scenario that it finds, and repeats damaged or unfinished ones.
/// Simulations are always repeated, so a new simulator can be judged by runs of earlier days.
/// keep_validation marks the validation as finished.
/// @throws NotDone if a training fails or is interrupted, InputError if nothing can be written, or
/// if the folder of a case holds a run of another scenario (before any training)
Validation validate_into(const std::vector<Case>& cases, const ValidateOptions& options,
                         const Modes& modes);

/// Writes the results of a validation into its folder: cases.csv (metrics_table), validation.txt
/// with `text`, and as the last file validation.json with `validation`. @throws WriteError
void keep_validation(const nlohmann::ordered_json& validation, const std::string& text,
                     const std::filesystem::path& folder);

}  // namespace foretrain
