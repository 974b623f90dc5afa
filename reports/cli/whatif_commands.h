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

/// Asks of each case what limits it; tells it, writes whatif.txt, whatif.json, the page
/// report.html, scenario.yaml, which says of what, into its folder. Every folder is claimed before
/// the first is asked of (folders.h). @returns the exit status. @throws InputError, WriteError,
/// NotDone, once the answers before are printed
int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask);

}  // namespace foretrain
