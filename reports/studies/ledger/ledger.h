// What validations measured, machine by machine, in one table that grows.
#pragma once

#include "reports/record/processor.h"
#include "reports/record/record.h"
#include "reports/studies/validation/validation.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// Where and when a file of cases was validated, by which program.
struct Occasion {
  Processor processor;
  std::string date;    ///< 2026-11-23
  std::string commit;  ///< of the build: `3861f1a6c0d2`, or with `-dirty.` and a digest
  std::string file;    ///< of the cases, without its ending: `loopback`

  bool operator==(const Occasion&) const = default;
};

/// A strategy's errors of step time, as shares, over the cases by which it is judged.
struct LedgerRow {
  Occasion measured;  ///< where, when
  std::string strategy;
  int cases = 0;
  int noisy = 0;  ///< of these; where others are steady they are not among the errors
  double median = 0;
  double p95 = 0;
  bool held = false;                      ///< both are within their goals (goals.h)
  std::optional<double> protocol_median;  ///< with the runs' own compute times
  std::optional<double> protocol_p95;

  bool operator==(const LedgerRow&) const = default;
};

/// A row a strategy of which there is an error.
std::vector<LedgerRow> ledger_rows(const Validation& validation, const Occasion& measured);

/// All rows of a ledger; of a file that is not there none.
/// @throws InputError that names file and line
std::vector<LedgerRow> read_ledger(const std::filesystem::path& path);

/// Those of the newest validation of each file on each machine; of one day the one that was entered
/// last.
std::vector<LedgerRow> newest_rows(const std::vector<LedgerRow>& rows);

/// The ledger as a file: comma-separated, a row a line, shares in hundredths of a per cent.
std::string ledger_csv(const std::vector<LedgerRow>& rows);

/// Enters the rows of one validation: those of the same machine, date, commit, file go, whatever
/// their strategy. @throws InputError where the file is damaged, or cannot be written
void enter_into_ledger(const std::filesystem::path& path, const std::vector<LedgerRow>& rows);

/// Where validations are looked for.
struct PastValidations {
  /// Has NAME/validate of each scenario that was validated here; what says something of the same
  /// scenario counts first.
  std::filesystem::path out = "out";
  /// Else the ledger; empty: that of the library.
  std::filesystem::path ledger{};
};

/// The basis of forecasts, each sentence once: whose compute and which jitter (basis_sentence),
/// how far off validations found step times of their strategies, or that none did. Empty if
/// basis_sentence is for all of them.
std::string stands_on(std::span<const Record> records, const PastValidations& past = {});
inline std::string stands_on(const Record& record, const PastValidations& past = {}) {
  return stands_on({&record, 1}, past);
}

}  // namespace foretrain
