// What `foretrain report --published clusters` does.
#pragma once

#include "reports/cli/published_cases.h"

namespace foretrain {

/// Forecasts what others measured on their clusters (scenarios/clusters), writes errors.csv, a
/// drawing a series, report.html into the folder of the answer (default: out/clusters), prints the
/// table; with `options.rewrite` the table of the library's README, too. Returns the exit status.
/// @throws InputError, NotDone
int report_clusters(const Answer& answer, const PublishedOptions& options);

}  // namespace foretrain
