// What `foretrain validate --against TABLE` does.
#pragma once

#include "reports/cli/commands.h"
#include "reports/studies/measured/forecast.h"

#include <optional>
#include <string>

namespace foretrain {

struct AgainstOptions {
  std::string table;
  std::string scenario;              ///< of all rows, or those that count; empty: as rows say
  std::optional<double> fail_above;  ///< the median error in per cent (--fail-above)
  bool full = false;
  ForecastOptions forecasting;
};

/// Forecasts what the table says was measured; writes studies.csv, figures.csv, a drawing,
/// report.html into the folder of the answer (default: out/TABLE), tells what came out. Returns the
/// exit status. @throws InputError, NotDone
int validate_against(const Answer& answer, AgainstOptions options);

}  // namespace foretrain
