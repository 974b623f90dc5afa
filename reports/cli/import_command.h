// The command that makes a scenario of what somebody brings of their own training.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/cli/commands.h"

namespace foretrain {

/// Reads the trace or table, says what a step of it is made of, writes the job. Of a trace of
/// several workers, the forecast of as many stands beside what was seen; `simulate` makes it.
/// @throws InputError
int import_training(const Arguments& arguments, const Train& simulate);

}  // namespace foretrain
