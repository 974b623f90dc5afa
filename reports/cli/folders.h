// Output folders of commands: checks for records of other scenarios.
#pragma once

#include "reports/cli/commands.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// The settings of a command line as part of its default folder's name, sorted by key, without
/// blanks, quotes, brackets: `seed=2,training.workers=4`. Eight digits of a hash if that is longer
/// than 60 characters, or has others that are special to a shell. Empty without settings.
std::string settings_name(std::vector<std::string> settings);

/// If the default folder has an earlier run, changes it to run-2, run-3, ..., since a measurement
/// is never overwritten. A command that continues a run (not Answer::begins) uses the newest one.
void number_folder(Answer& answer, const Case& scenario_case);

/// A folder for a record of `scenario`.
struct ClaimedPlace {
  std::filesystem::path folder;
  Scenario scenario;
};

/// Looks, before any work, for foreign records (of another scenario, or of the other mode) in
/// `places`, and in `root` if that is a folder around them. With --out and without --force a
/// foreign record is an error. Otherwise it is replaced if it is in `places`; it stays if it is in
/// `root`, or in a folder next to `places`, such as a case of an earlier sweep. Notes for people
/// what is replaced and what stays. @throws InputError
void claim_folders(const Answer& answer, const std::filesystem::path& root,
                   const std::vector<ClaimedPlace>& places, Mode mode);

/// The same for commands whose answer is not a record: scenario.yaml in a folder is the scenario of
/// an earlier answer. Creates the folders. @throws InputError, WriteError
void claim_answers(const Answer& answer, const std::vector<Case>& cases);
/// Rejects an existing file, which may be a user's work, unless `replace`; always rejects a folder.
/// @throws InputError
void refuse_existing(const std::string& file, bool replace);

/// The files that a folder had before a command wrote into it, with their times.
class EarlierFiles {
 public:
  explicit EarlierFiles(std::filesystem::path folder);
  /// Notes the files that are unchanged, such as figures of an earlier report.
  void tell(const Output& output) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::file_time_type> written_;
};

/// Writes scenario.yaml with paths relative to its folder. @throws WriteError
void sign_answer(const std::filesystem::path& folder, const Scenario& scenario);

/// The command line that resumes the run of a case: `words`, which started it, without --force and
/// --out, with --resume `folder`; of a sweep, with the settings of the case in place of the sweep.
std::string command_to_resume(const std::vector<std::string>& words, const Case& scenario_case,
                              const std::filesystem::path& folder);

/// `continues from step 2000 with: foretrain run small.yaml --resume out`; empty without a
/// checkpoint.
std::string how_it_goes_on(const Answer& answer, const Case& scenario_case,
                           const std::filesystem::path& folder);

/// Before any work: if the command would restart (Answer::begins) an unfinished run that can be
/// resumed, throws unless --force, since its checkpoints would be lost. @throws InputError that
/// names both options
void check_unfinished(const Answer& answer, const std::vector<Case>& cases);

}  // namespace foretrain
