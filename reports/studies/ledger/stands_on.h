// What a forecast stands on, with how wrong validations found such forecasts.
#pragma once

#include "reports/record/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// Where validations are looked for.
struct PastValidations {
  /// Has NAME/validate of each scenario that was validated here; what says something of the same
  /// scenario counts first.
  std::filesystem::path out = "out";
  /// Else the ledger; empty: that of the library.
  std::filesystem::path ledger{};
};

/// In a line or two: whose compute and which jitter (basis_sentence), then how far off validations
/// found step times of the same strategy, or that none did. Empty where basis_sentence is.
std::string stands_on(const Record& record, const PastValidations& past = {});

/// Of several records, what each says once.
std::vector<std::string> stands_on(const std::vector<Record>& records,
                                   const PastValidations& past = {});

}  // namespace foretrain
