// The folders that a command writes into: whose records are in them.
#pragma once

#include "reports/cli/commands.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// What the settings of a command line are called in the name of its default folder: `seed=2,
/// training.workers=4` without the blank, in the order of their keys; where that would be long, or
/// would have what a shell does not take as it is, eight digits of a hash. Empty: there are none.
std::string settings_name(std::vector<std::string> settings);

/// Names another default folder, run-2, run-3, ..., if earlier runs of the case have taken those
/// before: a measurement is never overwritten. One that does not begin (Answer::begins) goes on
/// with the newest of them.
void number_folder(Answer& answer, const Case& scenario_case);

/// A folder that is to have a record, of which scenario.
struct ClaimedPlace {
  std::filesystem::path folder;
  Scenario scenario;
};

/// A record of another scenario, or of the other mode, in one of these places or in `root`, which
/// is around them or the only one: where the folder was named by --out, refused unless --force;
/// else it gives way, which is told. Other records beside them, such as cases of an earlier sweep,
/// stay, which is told. Before anything is done. @throws InputError
void claim_folders(const Answer& answer, const std::filesystem::path& root,
                   const std::vector<ClaimedPlace>& places, Mode mode);

/// The same of folders whose answer is no record: scenario.yaml says what it is of. Makes them.
/// @throws InputError, WriteError
void claim_answers(const Answer& answer, const std::vector<ClaimedPlace>& places);
/// A file that is there is somebody's work. @throws InputError unless `replace`
void refuse_existing(const std::string& file, bool replace);

/// The files that a folder held before a command wrote there.
class EarlierFiles {
 public:
  explicit EarlierFiles(std::filesystem::path folder);
  /// Tells of those that are as they were, such as figures of an earlier report.
  void tell(const Answer& answer) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::file_time_type> written_;
};

/// Leaves that file, with paths as they are from its folder. @throws WriteError
void sign_answer(const std::filesystem::path& folder, const Scenario& scenario);

/// The command line that goes on with the run of a case in `folder`: that of `words`, which began
/// it, with --resume, and of a sweep with the settings of that case alone.
std::string command_to_resume(const std::vector<std::string>& words, const Case& scenario_case,
                              const std::filesystem::path& folder);

/// `goes on from step 2000 with: foretrain run small.yaml --resume out`; empty where nothing that
/// is whole was kept.
std::string how_it_goes_on(const Answer& answer, const Case& scenario_case,
                           const std::filesystem::path& folder);

/// Where a command begins (Answer::begins) what has not ended in its folder, and could go on, it is
/// refused unless --force: the checkpoints of hours would be gone. Before anything is done.
/// @throws InputError that names both ways
void check_unfinished(const Answer& answer, const std::vector<Case>& cases);

}  // namespace foretrain
