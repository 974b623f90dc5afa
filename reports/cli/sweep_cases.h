// What the command `sweep` does.
#pragma once

#include "reports/cli/commands.h"
#include "reports/studies/sweep/sweep.h"

#include <vector>

namespace foretrain {

/// Sweeps into the folder of the answer (default: out/NAME/sweep), prints what came out. Returns
/// the exit status: kFailed where a case failed, or a row could not be kept. Rows of another sweep
/// that are in the folder are refused, or with `force` set aside. `options.folder` and
/// `options.progress` are filled in. @throws InputError as sweep_into does
int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options);

}  // namespace foretrain
