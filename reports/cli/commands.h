// Execution of a scenario's cases by the commands that train, in either mode.
#pragma once

#include "reports/record/provenance.h"
#include "reports/record/record.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Exit statuses.
enum Status : int { kDone = 0, kFailed = 1, kBadInput = 2, kInterrupted = 130 };
int status_of(Outcome outcome);

/// Reports the error on standard error. Returns its exit status: that of the outcome for NotDone,
/// kBadInput for InputError and DataError, else kFailed. Once a signal came, errors other than
/// NotDone, WriteError, bad_alloc count as its consequence: kInterrupted.
int tell_failure(const std::exception& error);
/// Calls `part`. If it throws WriteError, since the disk is full or standard output fails, reports
/// that and raises `status` to at least kFailed, so that the caller can do its other parts.
void unless_full(int& status, const std::function<void()>& part);
/// Executes the command `act`. Returns the exit status of the process: kInterrupted if a signal
/// came; else the status that `act` returns, or that of its exception, which is reported; kFailed
/// if that is kDone but standard output did not take all of the result, which is reported, too.
int exit_status(const std::function<int()>& act);

/// The output of a command: files in a folder; the result on standard output, as text or JSON;
/// notes for people on standard error.
struct Output {
  std::filesystem::path out{};  ///< empty: the default folder
  bool json = false;
  bool quiet = false;  ///< print only the result and errors
  bool full = false;   ///< print every table with all rows
  bool force = false;  ///< replace the contents of `out`, whatever they are

  /// Prints a note on standard error, unless `quiet`.
  void say(const std::string& line) const;
  /// Prints the result as text. With `json`, standard output is for the JSON alone: the text is
  /// left out, or printed on standard error if `full` is set.
  /// @throws WriteError if standard output does not take it
  void tell(std::string_view text) const;
  /// Prints a part of the result that the JSON lacks; with `json` on standard error.
  void tell_anyway(std::string_view text) const;
};

/// Output of a command that has an answer for each case.
struct Answer : Output {
  std::string command{};   ///< run, simulate, ...: name of the default folder in out/NAME
  std::string settings{};  ///< settings_name, appended to that name; empty: no settings
  bool goes_on = false;    ///< continues the record in `out`; the training checks whether it can
  std::function<Provenance()> provenance{};  ///< written beside each record; null: not written
  /// Run: the step at which `--resume FOLDER` would continue the case; nothing if its training in
  /// the folder has ended, or has no checkpoint. If null, no command to resume is proposed.
  std::function<std::optional<std::int64_t>(const Case&, const std::filesystem::path&)> kept_step{};
  bool begins = false;  ///< a run from the first step, which removes checkpoints in its folder

  /// The folder of the case's record; for a case of a sweep a subfolder of root_of.
  [[nodiscard]] std::filesystem::path folder_of(const Case& scenario_case) const;
  /// The folder of a single case, or the one around the folders of a sweep's cases.
  [[nodiscard]] std::filesystem::path root_of(const Scenario& scenario) const;
};

/// Writes to standard output and flushes it; control characters appear as `\u001b`. If the reader
/// has closed the pipe, as `head` does, all text from then on is discarded.
/// @throws WriteError if it cannot be written for another reason
void print_result(std::string_view text);
/// Prints indented JSON; bytes that are not UTF-8 are replaced. @throws WriteError
void print_json(const nlohmann::ordered_json& json);

/// Appends the JSON of the case to `answers`. Returns whether to go on with the next case.
using AnswerCase = std::function<bool(const Case&, nlohmann::ordered_json& answers)>;
/// Calls `one` for the cases in order, then `end` unless it is null. With `json` it then prints the
/// answers: one object; for a sweep an object with the list `cases`. If a case throws, this is done
/// for the cases before it, and the exception is rethrown.
void answer_cases(const Answer& answer, const std::vector<Case>& cases, const AnswerCase& one,
                  const std::function<void()>& end = {});

using Train = std::function<Record(const Case&)>;
/// Trains a case, for real or simulated. A run writes its record into `folder`, which exists.
using TrainInto = std::function<Record(const Case&, const std::filesystem::path& folder)>;
/// Writes a record into its folder.
using KeepRecord = std::function<void(const Record&, const std::filesystem::path& folder)>;

/// Writes a record; without its rows if the disk does not take them. @throws WriteError also in
/// that case, with a message that the rows are missing
void keep_record(const Record& record, const std::filesystem::path& folder);

// train_cases, band_cases, replayed_case train in order, write the records, return the exit status.
// First they claim the folders (folders.h) and check that these are writable. @throws InputError

/// `run sync`, or with several cases `2 of 4 trainings, run sync`. `each` is an element of `cases`.
std::string progress_title(const char* mode, const Case& each, const std::vector<Case>& cases);
/// Trains the cases until one is not completed or a signal comes. `keep` is null if `train` writes
/// the record. If a record cannot be written, that is reported, and its results are still printed.
int train_cases(const Answer& answer, const std::vector<Case>& cases, Mode mode,
                const TrainInto& train, const KeepRecord& keep = {});
/// Simulates each case with that many seeds, on `threads` threads (simulate_seed_intervals), and
/// writes bands.csv. @throws NotDone if a simulation is not completed
int band_cases(const Answer& answer, const std::vector<Case>& cases, int seeds, int threads,
               const Train& simulate);
/// Comparison of a replay's weights with the recorded ones.
struct Replayed {
  bool as_recorded = true;  ///< false: the weights differ, though the kernels are the same
  std::string sentence;
};
Replayed compare_weights(const Record& recorded, const Record& replayed);
/// Repeats the training of `recorded` by `replay`, in its recorded order of messages, and compares
/// the weights (compare_weights). Returns kFailed if they should be equal but are not.
int replayed_case(const Answer& answer, const Record& recorded,
                  const std::function<Record(const Record&)>& replay);

}  // namespace foretrain
