// The commands that train nothing: examples, check, report, evaluate, ledger, data.
#pragma once

#include "reports/cli/arguments.h"

namespace foretrain {

// Each prints its answer to standard output, returns the exit status. @throws InputError

/// Lists the library's scenarios; of one the text, printed or copied.
int examples(const Arguments& arguments);
/// The scenario resolved, its step graph, or the schema of all scenarios.
int check(const Arguments& arguments);
/// Figures from records.
int report(const Arguments& arguments);
/// Loss and accuracy of weights in a file. @throws DataError
int evaluate(const Arguments& arguments);
/// The table of a ledger.
int ledger(const Arguments& arguments);
/// Lists formats of data, verifies a data set. @throws DataError
int data(const Arguments& arguments);

}  // namespace foretrain
