// What the commands that train do with the cases of a scenario, whichever the mode.
#pragma once

#include "reports/record/provenance.h"
#include "reports/record/record.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// Exit statuses.
enum Status : int { kDone = 0, kFailed = 1, kBadInput = 2, kInterrupted = 130 };
int status_of(Outcome outcome);

/// Where a command's answer goes: records into folders, the answer to standard output where it is
/// JSON, what people read to standard error.
struct Answer {
  std::string command;        ///< run, simulate: the last part of the default folder
  std::filesystem::path out;  ///< empty: the default folder
  bool json = false;
  bool quiet = false;                        ///< says nothing but what was asked for
  std::function<Provenance()> provenance{};  ///< goes beside each record; null: nothing does

  void say(const std::string& line) const;
  [[nodiscard]] std::filesystem::path folder_of(const Case& scenario_case) const;
};

/// A line of JSON objects; text that is no UTF-8 is repaired.
void print_json(const nlohmann::ordered_json& json);

/// Puts what there is to say of the case behind `answers`; whether the next one follows.
using AnswerCase = std::function<bool(const Case&, nlohmann::ordered_json& answers)>;
/// Answers the cases in order, then prints the answers where JSON is asked for: one object, of a
/// sweep one with a list. Where a case throws, those before it are printed first.
void answer_cases(const Answer& answer, const std::vector<Case>& cases, const AnswerCase& one);

using Train = std::function<Record(const Case&)>;
/// Trains, and leaves the record in the folder, which is there.
using TrainInto = std::function<Record(const Case&, const std::filesystem::path& folder)>;

// Each does all cases in order, writes their records, returns the exit status. @throws InputError

/// Trains until one is not done. Every folder is tried before the first training begins.
int train_cases(const Answer& answer, const std::vector<Case>& cases, const TrainInto& train);
/// The bands over so many seeds of each case, on `threads` threads (simulate_bands).
/// @throws NotDone where one is not done
int band_cases(const Answer& answer, const std::vector<Case>& cases, int seeds, int threads,
               const Train& simulate);
/// What `record` is, a training done again in the order that `recorded` has (compare_weights);
/// kFailed where its weights are others.
int replayed_case(const Answer& answer, const Record& recorded, const Record& record);
/// Each case twice (simulate_twice); kFailed where they differ.
int twin_cases(const Answer& answer, const std::vector<Case>& cases, const Train& simulate);

}  // namespace foretrain
