// What `foretrain whatif` does beside simulating.
#pragma once

#include "reports/cli/commands.h"
#include "reports/studies/whatif/whatif.h"

#include <functional>
#include <vector>

namespace foretrain {

/// What `--verify` says where it names no change.
inline constexpr const char* kBestChange = "best";

using AskWhatIf = std::function<WhatIf(const Case&)>;

/// Asks of each case what limits it; writes whatif.txt, whatif.json, the page report.html into its
/// folder. Every folder is tried before the first is asked of. @returns the exit status.
/// @throws InputError, NotDone, once the answers before are printed
int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask);

}  // namespace foretrain
