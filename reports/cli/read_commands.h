// The commands that train nothing: check, report, evaluate, data.
#pragma once

#include "reports/cli/arguments.h"

namespace foretrain {

// Each prints its answer to standard output, returns the exit status. @throws InputError

/// The scenario resolved, its step graph, or the schema of all scenarios.
int check(const Arguments& arguments);
/// Figures from records.
int report(const Arguments& arguments);
/// Loss and accuracy of weights in a file. @throws DataError
int evaluate(const Arguments& arguments);
/// Lists, verifies, draws data sets. @throws DataError
int data(const Arguments& arguments);

}  // namespace foretrain
