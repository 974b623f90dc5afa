#include "reports/record/table_file.h"

#include "scenarios/language/csv.h"
#include "scenarios/language/decimal.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace foretrain {

namespace {

using Names = std::span<const std::string_view>;

/// For each column of the file its index in a row: among `columns`, then `optional`.
std::vector<std::size_t> places_of(const std::vector<CsvCell>& titles, const std::string& place,
                                   Names columns, Names optional) {
  std::vector<std::string_view> names(columns.begin(), columns.end());
  names.insert(names.end(), optional.begin(), optional.end());
  std::vector<std::size_t> places;
  for (const CsvCell& title : titles) {
    const auto found = std::ranges::find(names, title.text);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      throw InputError(fmt::format("{}: '{}' is no column of this table; write columns of {}",
                                   place, title.text, fmt::join(names, ", ")));
    }
    if (std::ranges::find(places, at) != places.end()) {
      throw InputError(fmt::format("{}: column {} occurs twice; remove one", place, title.text));
    }
    places.push_back(at);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::find(places, i) != places.end()) continue;
    throw InputError(fmt::format("{}: column {} is missing; write it", place, columns[i]));
  }
  return places;
}

}  // namespace

std::vector<TableRow> read_table(const std::string& path, Names columns, Names optional) {
  const std::string text = read_text(path);
  std::vector<TableRow> rows;
  std::vector<std::size_t> places;
  CsvRows table(text, CsvRows::Comments::are_passed_over,
                [&](std::size_t line, std::size_t, const std::string& what) {
                  throw InputError(fmt::format("{}:{}: {}", path, line, what));
                });
  while (table.next()) {
    const std::string place = fmt::format("{}:{}", path, table.line());
    if (places.empty()) {
      places = places_of(table.cells(), place, columns, optional);
      continue;
    }
    const std::vector<std::string> texts = table.texts();
    if (texts.size() != places.size()) {
      throw InputError(fmt::format("{}: {} values under {} columns; write one for each column",
                                   place, texts.size(), places.size()));
    }
    TableRow& row =
        rows.emplace_back(place, std::vector<std::string>(columns.size() + optional.size()));
    for (std::size_t i = 0; i < places.size(); ++i) row.cells[places[i]] = texts[i];
  }
  if (!places.empty()) return rows;
  throw InputError(fmt::format("{}: no columns; write {}", path, fmt::join(columns, ",")));
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
