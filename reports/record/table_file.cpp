#include "reports/record/table_file.h"

#include "scenarios/csv.h"
#include "scenarios/decimal.h"
#include "scenarios/input_error.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain {

std::vector<TableRow> read_table(const std::string& path,
                                 std::span<const std::string_view> columns) {
  const std::string text = read_text(path);
  std::vector<TableRow> rows;
  bool titled = false;
  CsvRows table(text, CsvRows::Comments::are_passed_over,
                [&](std::size_t line, std::size_t, const std::string& what) {
                  throw InputError(fmt::format("{}:{}: {}", path, line, what));
                });
  while (table.next()) {
    const std::vector<CsvCell>& cells = table.cells();
    const std::string place = fmt::format("{}:{}", path, table.line());
    if (!titled && !std::ranges::equal(cells, columns, {}, &CsvCell::text)) {
      throw InputError(
          fmt::format("{}: the columns have to be {}", place, fmt::join(columns, ",")));
    }
    if (cells.size() != columns.size()) {
      throw InputError(fmt::format("{}: {} values under {} columns; write one for each column",
                                   place, cells.size(), columns.size()));
    }
    if (titled) rows.push_back({place, table.texts()});
    titled = true;
  }
  if (!titled)
    throw InputError(fmt::format("{}: no columns; write {}", path, fmt::join(columns, ",")));
  return rows;
}

double number_in(const std::string& cell, const std::string& place) {
  const auto decimal = parse_decimal(cell);
  if (!decimal) throw InputError(fmt::format("{}: '{}' is not a number; write one", place, cell));
  const double number = to_double(*decimal);
  if (std::isfinite(number)) return number;
  throw InputError(fmt::format("{}: '{}' is too large; write another number", place, cell));
}

std::int64_t count_in(const std::string& cell, const std::string& place) {
  const auto decimal = parse_decimal(cell);
  const auto number = decimal ? to_integer(*decimal) : std::nullopt;
  if (number && *number >= 0) return *number;
  throw InputError(fmt::format("{}: '{}' is not a whole number; write one", place, cell));
}

std::optional<int> whole_in(const std::string& cell, const std::string& place) {
  if (cell.empty() || cell == "-") return std::nullopt;
  const auto decimal = parse_decimal(cell);
  const auto number = decimal ? to_integer(*decimal) : std::nullopt;
  if (number && *number >= 0 && *number <= std::numeric_limits<int>::max()) {
    return static_cast<int>(*number);
  }
  throw InputError(fmt::format("{}: '{}' is not a whole number; write one, or -", place, cell));
}

}  // namespace foretrain
