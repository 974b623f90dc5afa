// The text of run.json: all of a record but its rows.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
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

std::string run_json(const Record& record);

/// A record without rows, with their counts. `source` is the file's name in messages.
/// @throws InputError
struct RunJson {
  Record record;
  RowCounts rows;
};
RunJson parse_run_json(std::string_view text, const std::string& source);

}  // namespace foretrain
