// Runs that have not ended, whose checkpoints are there.
#pragma once

#include "reports/cli/commands.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

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
