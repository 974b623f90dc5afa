// What the commands that train do with the cases of a scenario, whichever the mode.
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

/// Tells standard error; returns the exit status, which says whose fault it is: bad input, a
/// training that was not done, or the program's.
int tell_failure(const std::exception& error);
/// Does a part of what is left to do though another one fails: where the disk, or standard output,
/// takes no more, that is told, and `status` is kFailed at least.
void unless_full(int& status, const std::function<void()>& part);
/// The exit status of the process, whose command is `act`: what that returns; what its failure
/// comes to, which is told; kInterrupted where a signal came, whatever it came to; kFailed where
/// standard output did not take all of a result, which is told.
int exit_status(const std::function<int()>& act);

/// What a command tells, and writes: files into a folder, the result to standard output, as text or
/// as JSON, what people are told besides to standard error.
struct Output {
  std::filesystem::path out{};  ///< empty: the default folder
  bool json = false;
  bool quiet = false;  ///< nothing but the result, errors
  bool full = false;   ///< every table with all of its rows
  bool force = false;  ///< what is in `out` gives way, whatever it is of

  /// A note, to standard error.
  void say(const std::string& line) const;
  /// The result as text. Where it is asked for as JSON, standard output has that alone: the text is
  /// left out, or with `full`, which asks for it, goes to standard error.
  /// @throws WriteError where standard output does not take it
  void tell(std::string_view text) const;
  /// A part of it that the JSON has not: with that on standard error.
  void tell_anyway(std::string_view text) const;
};

/// Where the answer about each case goes.
struct Answer : Output {
  std::string command{};   ///< run, simulate: the last part of the default folder
  std::string settings{};  ///< that part of the default folder's name (settings_name); empty: none
  bool goes_on = false;    ///< with the record in `out`: the training itself knows whether it may
  std::function<Provenance()> provenance{};  ///< goes beside each record; null: nothing does
  /// Of a run: the step that `--resume FOLDER` would go on from, where the training of that case in
  /// the folder has not ended, and has kept one; null: nothing is kept.
  std::function<std::optional<std::int64_t>(const Case&, const std::filesystem::path&)> kept_step{};
  bool begins = false;  ///< a run with its first step: it would remove what is kept in its folder

  /// Where its record goes. Of a sweep: a folder a case in one that is called like that of a single
  /// case.
  [[nodiscard]] std::filesystem::path folder_of(const Case& scenario_case) const;
  /// The folder around those of the cases of a sweep.
  [[nodiscard]] std::filesystem::path root_of(const Scenario& scenario) const;
};

/// To standard output, now, control characters as `\u001b`. Where its reader has gone away, as
/// `head` does, it is for nobody.
/// @throws WriteError where it is not taken for another reason
void print_result(std::string_view text);
/// A line of JSON objects; text that is no UTF-8 is repaired. @throws WriteError
void print_json(const nlohmann::ordered_json& json);

/// Puts what there is to say of the case behind `answers`; whether the next one follows.
using AnswerCase = std::function<bool(const Case&, nlohmann::ordered_json& answers)>;
/// Answers the cases in order, calls `end` (null: nothing), then prints the answers if JSON is
/// asked for: one object, of a sweep one with a list. If a case throws, those before it are told
/// first.
void answer_cases(const Answer& answer, const std::vector<Case>& cases, const AnswerCase& one,
                  const std::function<void()>& end = {});

using Train = std::function<Record(const Case&)>;
/// Trains. A run leaves its record in the folder, which is there.
using TrainInto = std::function<Record(const Case&, const std::filesystem::path& folder)>;
/// Writes a record that has been told into its folder.
using KeepRecord = std::function<void(const Record&, const std::filesystem::path& folder)>;

/// Writes it with its rows or, where the disk does not take them, without. @throws WriteError in
/// that case, too: it says what is there
void keep_record(const Record& record, const std::filesystem::path& folder);

// Each does all cases in order, writes their records, returns the exit status. Before the first one
// it claims the folders (folders.h), and tries whether they can be written. @throws InputError

/// `run sync`, `2 of 4 trainings, run sync`; `each` is one of `cases`.
std::string progress_title(const char* mode, const Case& each, const std::vector<Case>& cases);
/// Trains until one is not done, or a signal comes. `keep`: null, `train` has written the record.
/// What cannot be written is told after what came out.
int train_cases(const Answer& answer, const std::vector<Case>& cases, Mode mode,
                const TrainInto& train, const KeepRecord& keep = {});
/// The bands over so many seeds of each case, on `threads` threads (simulate_bands).
/// @throws NotDone where one is not done
int band_cases(const Answer& answer, const std::vector<Case>& cases, int seeds, int threads,
               const Train& simulate);
/// What a replay's weights say of the record that it is of.
struct Replayed {
  bool as_recorded = true;  ///< false: the weights differ, and should not
  std::string sentence;
};
Replayed compare_weights(const Record& recorded, const Record& replayed);
/// The training of `recorded` again, by `replay`, in the order that it has (compare_weights);
/// kFailed where its weights are others.
int replayed_case(const Answer& answer, const Record& recorded,
                  const std::function<Record(const Record&)>& replay);

}  // namespace foretrain
