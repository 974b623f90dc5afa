// The text of run.json: all of a record but its rows.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// The format that this program writes, and the only one that it reads.
inline constexpr int kRecordFormat = 1;

/// How many rows the CSV files have; a file that lost its end is found out by it.
struct RowCounts {
  std::size_t steps = 0;
  std::size_t evals = 0;
  std::size_t usage = 0;
};

/// `kept`: whether the rows are in the files beside it; of a summary their totals stand in it. No
/// `rows`: the record has not ended.
std::string run_json(const Record& record, RowsKept kept, const std::optional<RowCounts>& rows);

/// A record without rows, with their counts. `source` is the file's name in messages.
/// @throws InputError
struct RunJson {
  Record record;
  std::optional<RowCounts> rows;  ///< none: the record has not ended
};
RunJson parse_run_json(std::string_view text, const std::string& source);

}  // namespace foretrain
