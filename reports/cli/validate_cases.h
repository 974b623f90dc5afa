// The command `validate`.
#pragma once

#include "reports/cli/arguments.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/measured/forecast_rows.h"
#include "reports/studies/validation/validate_into.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

struct ValidateArguments : AskedTraining, Launch {
  int repetitions = 5;
  /// Exit status kFailed if the median step-time error of a strategy exceeds this, in per cent;
  /// with `against` that of all forecasts.
  std::optional<double> fail_above;
  std::string ledger;   ///< ledger file to enter the errors into; empty: none
  std::string against;  ///< table of measurements; empty: the cases are run here
};
void validate_options(CLI::App& command, ValidateArguments& arguments);

/// Validates all cases into the folder of the answer, prints the results, draws figures, enters the
/// errors into the ledger as `measured` (sets its file and shortens its date to the day). In the
/// default folder a finished validation and results of another scenario are set aside; in a folder
/// of --out only the latter, with `force`. Returns the exit status: kFailed if weights differ, an
/// error exceeds `fail_above`, or a file could not be written; a missed goal is not a failure.
/// @throws NotDone, InputError as validate_into
int validate_cases(const ValidateArguments& arguments, const std::vector<Case>& cases,
                   const Modes& modes, Occasion measured);

/// Forecasts the measurements of the table, prints the results, writes studies.csv, figures.csv, a
/// figure and report.html into the folder of the answer (default: out/TABLE). Returns the exit
/// status. @throws InputError, NotDone
int validate_against(const ValidateArguments& arguments, ForecastOptions options);

}  // namespace foretrain
