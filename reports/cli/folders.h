// Output folders of commands: checks for records of other scenarios.
#pragma once

#include "reports/cli/commands.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// The settings of a command line as part of its default folder's name:
/// `seed=2,training.workers=4`, sorted by key. If that is longer than 60 characters, or has
/// characters that are special to a shell, eight digits of a hash. Empty without settings.
std::string settings_name(std::vector<std::string> settings);

/// Changes the default folder to run-2, run-3, ... if earlier runs of the case exist, since a
/// measurement is never overwritten. A command that resumes (not Answer::begins) uses the newest.
void number_folder(Answer& answer, const Case& scenario_case);

/// A folder for a record of `scenario`.
struct ClaimedPlace {
  std::filesystem::path folder;
  Scenario scenario;
};

/// Checks the folders before any work. `root` contains `places` or is the only one. A record of
/// another scenario or of the other mode in them is an error if the folder was given by --out
/// without --force. Otherwise a record in `places` is replaced; one in a `root` around them
/// remains, as do records next to them, such as cases of an earlier sweep. Notes for people say so.
/// @throws InputError
void claim_folders(const Answer& answer, const std::filesystem::path& root,
                   const std::vector<ClaimedPlace>& places, Mode mode);

/// As claim_folders, for answers that are not records: scenario.yaml in the folder identifies their
/// scenario. Creates the folders. @throws InputError, WriteError
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

/// The command line that resumes the run of a case from `folder`: `words`, which started it, with
/// --resume, and for a sweep with the settings of that case.
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
