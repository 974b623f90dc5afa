// The command `sweep`.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/studies/sweep/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

struct SweepArguments : AskedTraining {
  std::string mode = "simulate";  ///< or `run`
  std::optional<int> jobs;        ///< parallel cases; by default the number of cores, for runs one
  std::string shard;              ///< k/n; empty: all cases
  bool retry = false;             ///< repeat failed cases
  bool records = false;           ///< keep the record of each case
};
void sweep_options(CLI::App& command, SweepArguments& arguments);

/// Sweeps into the folder of the answer (default: out/NAME/sweep) and prints the results. Sets
/// `options.folder`, `options.progress`. Rows of another sweep in the folder are an error; with
/// `force` they are set aside. Returns the exit status: kFailed if a case failed or a row could not
/// be written. @throws InputError as sweep_into
int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options);

}  // namespace foretrain
