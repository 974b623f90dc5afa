// What `foretrain report --published clusters` does.
#pragma once

#include "reports/cli/published_cases.h"

#include <string>
#include <vector>

namespace foretrain {

/// `--published NAME..`: the study that it names, for `options`; whether that is of the clusters.
/// @throws InputError where several are named
bool names_clusters(const std::vector<std::string>& asked, PublishedOptions& options);

/// Forecasts what others measured on their clusters (scenarios/clusters), writes errors.csv, a
/// drawing a series, report.html into the folder of the answer (default: out/clusters), prints the
/// table; with `options.rewrite` the table of the library's README, too. Returns the exit status.
/// @throws InputError, NotDone
int report_clusters(const Answer& answer, const PublishedOptions& options);

}  // namespace foretrain
