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
  std::optional<int> jobs;        ///< at a time; left out: as many as there are cores, of runs one
  std::string shard;              ///< k/n; empty: all
  bool retry = false;
  bool records = false;  ///< are kept
};
void sweep_options(CLI::App& command, SweepArguments& arguments);

/// Sweeps into the folder of the answer (default: out/NAME/sweep), prints what came out. Returns
/// the exit status: kFailed where a case failed, or a row could not be kept. Rows of another sweep
/// that are in the folder are refused, or with `force` set aside. `options.folder` and
/// `options.progress` are filled in. @throws InputError as sweep_into does
int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options);

}  // namespace foretrain
