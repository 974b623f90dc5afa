// Files of comma-separated values with known columns, for people to edit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A row of a table, with a cell for each column.
struct TableRow {
  std::string place;  ///< file:line, for messages
  std::vector<std::string> cells;
};

/// Reads a table whose first line names all `columns` and any of the `optional` ones, in any order.
/// The cells of a row are in the order of `columns`, then `optional`; a cell is empty if the table
/// lacks its column. Blank lines and lines that begin with `#` are skipped.
/// @throws InputError that names file and line
std::vector<TableRow> read_table(const std::string& path, std::span<const std::string_view> columns,
                                 std::span<const std::string_view> optional = {});

/// Parses the number in a cell. @throws InputError that begins with `place`
double number_in(const std::string& cell, const std::string& place);
/// Likewise for an integer that is not negative.
std::int64_t count_in(const std::string& cell, const std::string& place);
/// Likewise for one of 31 bits; nothing if the cell is `-` or empty.
std::optional<int> whole_in(const std::string& cell, const std::string& place);

}  // namespace foretrain
