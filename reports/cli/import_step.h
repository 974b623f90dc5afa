// The command that makes a scenario of a step that somebody measured.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/cli/commands.h"

namespace foretrain {

/// Finds what a gradient takes, so that a step takes as long as was measured on the cluster of the
/// scenario; `simulate` says what it takes. Writes the scenario anew, with a profile in place of
/// its model. @throws InputError (no cluster, several cases, a network that takes longer than that)
int import_step(const Arguments& arguments, const Train& simulate);

}  // namespace foretrain
