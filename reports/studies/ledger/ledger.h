// The ledger: errors that validations measured on each machine.
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

/// Identifies a validation: machine, date, build, file of cases.
struct Occasion {
  Processor processor;
  std::string date;    ///< 2026-11-23
  std::string commit;  ///< commit of the build: `3861f1a6c0d2`, or with `-dirty.` and a digest
  std::string file;    ///< name of the file of cases without its extension: `loopback`

  bool operator==(const Occasion&) const = default;
};

/// Step-time errors of a strategy as shares, over the cases by which it is judged.
struct LedgerRow {
  Occasion measured;
  std::string strategy;
  int cases = 0;
  int noisy = 0;  ///< noisy ones among them; left out of the errors if any case is steady
  double median = 0;
  double p95 = 0;
  bool held = false;                      ///< both errors meet their goals (goals.h)
  std::optional<double> protocol_median;  ///< error with the runs' own compute times
  std::optional<double> protocol_p95;

  bool operator==(const LedgerRow&) const = default;
};

/// A row for each strategy with a known error.
std::vector<LedgerRow> ledger_rows(const Validation& validation, const Occasion& measured);

/// All rows of a ledger; none if the file does not exist.
/// @throws InputError that names file and line
std::vector<LedgerRow> read_ledger(const std::filesystem::path& path);

/// The rows of the newest validation of each file on each machine; of several on the same day, the
/// one that was entered last.
std::vector<LedgerRow> newest_rows(const std::vector<LedgerRow>& rows);

/// The text of a ledger file: comma-separated, a row per line, shares in hundredths of a per cent.
std::string ledger_csv(const std::vector<LedgerRow>& rows);

/// Enters the rows of one validation into the ledger. They replace all rows of the same machine,
/// date, commit, file. @throws InputError if the file is damaged, or cannot be written
void enter_into_ledger(const std::filesystem::path& path, const std::vector<LedgerRow>& rows);

/// The places that are searched for validations.
struct PastValidations {
  /// Folder with NAME/validate of each scenario that was validated here; the result for the same
  /// scenario has priority.
  std::filesystem::path out = "out";
  /// The ledger, searched otherwise; empty means the ledger of the library.
  std::filesystem::path ledger{};
};

/// The basis of the forecasts, without repetition: source of compute times and jitter
/// (basis_sentence), errors of step times that validations found for their strategies, or that
/// there was none. Empty if basis_sentence is empty for all records.
std::string stands_on(std::span<const Record> records, const PastValidations& past = {});
inline std::string stands_on(const Record& record, const PastValidations& past = {}) {
  return stands_on({&record, 1}, past);
}

}  // namespace foretrain
