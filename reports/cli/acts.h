// What commands do beside training, each with its exit status.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/cli/commands.h"
#include "reports/record/record.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/measured/forecast_rows.h"
#include "reports/studies/sweep/sweep.h"
#include "reports/studies/whatif/whatif_data.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

// Each prints its answer to standard output, returns the exit status. @throws InputError

/// Writes a scenario from what the options say; where they do not say all, and somebody sits at a
/// terminal, asks. Tells what to do next.
int new_scenario(const Arguments& arguments);
/// Asks `in` for each answer that `scaffold` misses, again where it means nothing; an empty line
/// takes what is proposed. `say`: what is told, as it is. @throws InputError where `in` ends
Scaffold ask_scaffold(Scaffold scaffold, std::istream& in,
                      const std::function<void(const std::string&)>& say);
/// Lists the library's scenarios; of one the text, printed or copied.
int examples(const Arguments& arguments);
/// The scenario resolved, its step graph, or the schema of all scenarios.
int check(const Arguments& arguments);
/// Figures from records.
int report(const Arguments& arguments);
/// Loss and accuracy of weights in a file. @throws DataError
int evaluate(const Arguments& arguments);
/// Lists formats of data, verifies a data set. @throws DataError
int data(const Arguments& arguments);

/// Reads the trace or table, says what a step of it is made of, writes the job. Of a trace of
/// several workers, the forecast of as many stands beside what was seen; `simulate` makes it.
/// @throws InputError
int import_training(const Arguments& arguments, const Train& simulate);

/// Finds what a gradient takes, so that a step takes as long as was measured on the cluster of the
/// scenario; `simulate` says what it takes. Writes the scenario anew, with a profile in place of
/// its model. @throws InputError (no cluster, several cases, a network that takes longer than that)
int import_step(const Arguments& arguments, const Train& simulate);

/// Sweeps into the folder of the answer (default: out/NAME/sweep), prints what came out. Returns
/// the exit status: kFailed where a case failed, or a row could not be kept. Rows of another sweep
/// that are in the folder are refused, or with `force` set aside. `options.folder` and
/// `options.progress` are filled in. @throws InputError as sweep_into does
int sweep_cases(const Answer& answer, const std::vector<Case>& cases, SweepOptions options);

/// What `--verify` says where it names no change.
inline constexpr const char* kBestChange = "best";

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
int budget_cases(const Arguments& arguments, BudgetOptions modes);

struct AgainstOptions {
  std::string table;
  std::string scenario;              ///< of all rows, or those that count; empty: as rows say
  std::optional<double> fail_above;  ///< the median error in per cent (--fail-above)
  ForecastOptions forecasting;
};

/// Forecasts what the table says was measured; writes studies.csv, figures.csv, a drawing,
/// report.html into the folder of the answer (default: out/TABLE), tells what came out. Returns the
/// exit status. @throws InputError, NotDone
int validate_against(const Answer& answer, AgainstOptions options);

}  // namespace foretrain
