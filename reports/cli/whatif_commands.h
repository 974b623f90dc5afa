// The command `whatif`.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/whatif/whatif_data.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// What `--verify` says where it names no change.
inline constexpr const char* kBestChange = "best";

struct WhatIfArguments : AskedTraining {
  bool crossover = false;
  std::string verify;  ///< the change that is run for real; empty: none
  int repetitions = 3;
  std::string deadline;            ///< of the inverse question; empty: not asked
  double budget = 0;               ///< with it
  std::string target;              ///< likewise: accuracy=0.97; empty: as the scenario says
  std::vector<std::string> hosts;  ///< of the library, that are tried; empty: all that fit
  int max_hosts = 8;               ///< of a cluster
};
void whatif_options(CLI::App& command, WhatIfArguments& arguments);

using AskWhatIf = std::function<WhatIf(const Case&)>;

/// Asks of each case what limits it; tells it, writes whatif.txt, whatif.json, a table a
/// file (changes.csv, ...), the page report.html, scenario.yaml, which says of what, into its
/// folder. Every folder is claimed before the first is asked of (folders.h). @returns the exit
/// status. @throws InputError, WriteError, NotDone, once the answers before are printed
int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask);

/// Finds the cheapest cluster of the library; writes budget.txt, budget.json, cluster.yaml (the
/// scenario on the cluster that was found, or on the fastest within the budget) and scenario.yaml,
/// which says of what, into the folder of the answer. `modes`: its simulate, limit, threads count.
/// Returns kFailed where no cluster holds both. @throws InputError, NotDone
int budget_cases(const WhatIfArguments& arguments, BudgetOptions modes);

}  // namespace foretrain
