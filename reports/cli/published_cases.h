// What `foretrain report --published` does.
#pragma once

#include "reports/cli/commands.h"
#include "reports/record/record.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain {

struct PublishedOptions {
  std::string study;     ///< empty: all
  int threads = 1;
  std::function<Record(const Case&)> simulate;  ///< from several threads at once
};

/// Predicts the figures of the published studies in the scenario library, writes errors.md,
/// errors.csv, a drawing a study, report.html into the folder of the answer (default:
/// out/published), prints the table. Returns the exit status. @throws InputError, NotDone
int report_published(const Answer& answer, const PublishedOptions& options);

/// `--published NAME..`: the study that it names, for `options`; whether that is of the clusters.
/// @throws InputError where several are named
bool names_clusters(const std::vector<std::string>& asked, PublishedOptions& options);

/// The same of what others measured on their clusters (scenarios/clusters; default: out/clusters).
int report_clusters(const Answer& answer, const PublishedOptions& options);

}  // namespace foretrain
