// The text of run.json: a record without its rows.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// The only format that this program writes and reads.
inline constexpr int kRecordFormat = 1;

/// Row counts of the CSV files, by which a truncated file is detected.
struct RowCounts {
  std::size_t steps = 0;
  std::size_t evals = 0;
  std::size_t usage = 0;
};

/// `kept`: whether the rows are in files beside it; of a summary it has their totals instead.
/// `rows` is empty if the record has not ended.
std::string run_json(const Record& record, RowsKept kept, const std::optional<RowCounts>& rows);

/// A record without rows, with their counts. parse_run_json throws InputError, naming `source`.
struct RunJson {
  Record record;
  std::optional<RowCounts> rows;  ///< empty: the record has not ended
};
RunJson parse_run_json(std::string_view text, const std::string& source);

}  // namespace foretrain
