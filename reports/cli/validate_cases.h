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
  /// Fail where a strategy's median error of step time is above so many per cent.
  std::optional<double> fail_above;
  std::string ledger;   ///< where what was measured is entered; empty: nowhere
  std::string against;  ///< the table of what was measured; empty: it is run here
};
void validate_options(CLI::App& command, ValidateArguments& arguments);

/// Validates all cases into the folder of the answer, tells what came out, draws figures, enters it
/// into the ledger as `measured` (its file and the time of its day are filled in, cut off). In a
/// folder that nobody named, a validation that was finished begins anew; what is of another
/// scenario is set aside there, elsewhere by `force` alone. Returns the exit status: kFailed where
/// weights differ, `fail_above` says so, or the disk took not all; a goal that is missed is no
/// failure.
/// @throws NotDone, InputError as validate_into does
int validate_cases(const ValidateArguments& arguments, const std::vector<Case>& cases,
                   const Modes& modes, Occasion measured);

/// Forecasts what the table says was measured; writes studies.csv, figures.csv, a drawing,
/// report.html into the folder of the answer (default: out/TABLE), tells what came out. Returns the
/// exit status. @throws InputError, NotDone
int validate_against(const ValidateArguments& arguments, ForecastOptions options);

}  // namespace foretrain
