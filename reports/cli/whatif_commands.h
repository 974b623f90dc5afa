// The command `whatif`.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/whatif/whatif_data.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// Value of `--verify` if it names no change.
inline constexpr const char* kBestChange = "best";

struct WhatIfArguments : AskedTraining {
  bool crossover = false;
  std::string verify;              ///< change to run for real; empty: none
  int repetitions = 3;             ///< with `verify`: runs with and without the change
  std::string deadline;            ///< time limit of the inverse question; empty: not asked
  std::string budget;              ///< with `deadline`: cost limit
  std::string target;              ///< with `deadline`: accuracy=0.97; empty: the scenario's
  std::vector<std::string> hosts;  ///< with `deadline`: library hosts to try; empty: all that fit
  int max_hosts = 8;               ///< with `deadline`: largest number of hosts
};
void whatif_options(CLI::App& command, WhatIfArguments& arguments);

using AskWhatIf = std::function<WhatIf(const Case&)>;

/// Calls `ask` for each case and prints its answer; writes whatif.txt, whatif.json, each table as
/// CSV (changes.csv, ...), report.html, and scenario.yaml, which identifies the case, into its
/// folder. All folders are claimed before the first call (folders.h). Returns the exit status.
/// @throws InputError, WriteError, NotDone, after the earlier answers are printed
int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask);

/// Finds the cheapest cluster of library hosts; writes budget.txt, budget.json, frontier.csv,
/// cluster.yaml (the scenario on that cluster, or on the fastest within the budget), and
/// scenario.yaml, which identifies the case, into the folder of the answer. Uses simulate, limit,
/// threads of `modes`. Returns kFailed if no cluster meets both bounds. @throws InputError, NotDone
int budget_cases(const WhatIfArguments& arguments, BudgetOptions modes);

}  // namespace foretrain
