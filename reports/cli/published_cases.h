// What `foretrain report --published` does.
#pragma once

#include "reports/cli/commands.h"
#include "reports/record/record.h"

#include <functional>
#include <string>

namespace foretrain {

struct PublishedOptions {
  std::string study;     ///< empty: all
  std::string data;      ///< folder of MNIST: train for real too; empty: what was kept counts
  int seeds = 3;         ///< trainings of each case
  bool rewrite = false;  ///< of the library: errors.md, the table of README.md, measured.csv
  int threads = 1;
  std::function<Record(const Case&)> simulate;  ///< from several threads at once
  std::function<Record(const Case&)> run;
};

/// Predicts the figures of the published studies in the scenario library, writes errors.md,
/// errors.csv, a drawing a study, report.html into the folder of the answer (default:
/// out/published), prints the table. Returns the exit status. @throws InputError, NotDone
int report_published(const Answer& answer, const PublishedOptions& options);

}  // namespace foretrain
