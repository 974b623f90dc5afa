// A validation whose records are kept in a folder as they come, so that it can go on from there.
#pragma once

#include "reports/studies/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// The two modes.
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
  /// A validation that was finished in `folder` is set aside; else its runs are used again. One
  /// that was not finished goes on in either case.
  bool anew = false;
  /// One of another scenario is set aside; with `anew`, too. Else it is refused.
  bool replace = false;
  /// Told before each training, what stands in its place: `case 17 of 104, repetition 2 of 5, about
  /// 12 min left`.
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
  /// Told what is in the folder already, and what becomes of it.
  std::function<void(const std::string& line)> note = [](const std::string&) {};
};

/// Runs every case `repetitions` times, alternating over the cases so that a slow minute of the
/// machine meets them all; then simulates each once, replays what has no order of its own, and
/// simulates one run of each with the compute times that it recorded.
///
/// Leaves in the folder: run/CASE/1, run/CASE/2, ...; simulate/CASE. What is set aside goes into a
/// folder of it, earlier-1, earlier-2, ...: a run that was measured is never removed. A training
/// that was not done costs nothing but itself: its record goes to broken/CASE. Started again, runs
/// that are there, were done, are of the same resolved scenario are not run again; damaged or
/// unfinished ones are. Simulations always are made anew, which is how a simulator is judged by
/// runs of earlier days. keep_validation says that it is finished.
/// @throws NotDone where a training fails or is interrupted, InputError where nothing can be
/// written, or where a run of another scenario is in a case's place (before anything is trained)
Validation validate_into(const std::vector<Case>& cases, const ValidateOptions& options,
                         const Modes& modes);

/// Leaves in the folder of a validation what it came to: cases.csv (metrics_table), validation.txt
/// with `text`, last validation.json, which is `validation`. @throws WriteError
void keep_validation(const nlohmann::ordered_json& validation, const std::string& text,
                     const std::filesystem::path& folder);

}  // namespace foretrain
