// A table as a file that people keep: comma-separated values under known columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A row of a table, one cell for each column.
struct TableRow {
  std::string place;  ///< file:line, for messages
  std::vector<std::string> cells;
};

/// Reads a table whose first line names `columns`, with any of the `optional` ones, in any order.
/// The cells of a row stand in the order of `columns`, then of `optional`; empty where the table
/// has no such column. Blank lines and those that begin with `#` are passed over.
/// @throws InputError that names file and line
std::vector<TableRow> read_table(const std::string& path, std::span<const std::string_view> columns,
                                 std::span<const std::string_view> optional = {});

/// The number in a cell. @throws InputError that begins with `place`
double number_in(const std::string& cell, const std::string& place);
/// Likewise a whole number from 0 on.
std::int64_t count_in(const std::string& cell, const std::string& place);
/// Likewise, of 31 bits; nothing: `-` or empty.
std::optional<int> whole_in(const std::string& cell, const std::string& place);

}  // namespace foretrain
