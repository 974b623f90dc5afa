#include "reports/show/terminal/result_text.h"

#include "reports/record/wrapped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {
namespace {

using ColumnKind = ResultColumn::Kind;

double magnitude(const ResultValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? -1 : std::abs(*number);
}

/// Indices of the rows that are shown, in order.
std::vector<std::size_t> shown_rows(const ResultTable& table, bool full) {
  std::vector<std::size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (full || rows.size() <= kBriefRows) return rows;
  const auto judged = std::ranges::find_if(table.columns, [](const ResultColumn& column) {
    return column.judged && column.kind != ColumnKind::words;
  });
  if (judged != table.columns.end()) {
    const auto column = static_cast<std::size_t>(judged - table.columns.begin());
    std::erase_if(rows, [&](std::size_t row) { return !table.rows[row].good; });
    std::ranges::stable_sort(rows, std::ranges::greater(), [&](std::size_t row) {
      return magnitude(table.rows[row].values[column]);
    });
  }
  rows.resize(std::min(rows.size(), kBriefRows));
  return rows;
}

/// The lines of a heading: '\n' ends one.
std::vector<std::string> heading_lines(const std::string& title) {
  std::vector<std::string> lines;
  std::istringstream rest(title);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  return lines;
}

struct Shown {
  std::size_t column = 0;  ///< index in the table
  std::size_t width = 0;   ///< including the gap before it
  bool words = false;
};

/// Columns with a non-empty cell in `rows`, as wide as their content. If the line is wider than the
/// terminal, the widest columns of words are narrowed.
std::vector<Shown> shown_columns(const ResultTable& table, const std::vector<std::size_t>& rows) {
  std::vector<Shown> all;
  std::size_t width = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ResultColumn& column = table.columns[i];
    const bool elsewhere = column.kind == ColumnKind::comment || column.kind == ColumnKind::note;
    if (elsewhere || !column.brief) continue;
    Shown shown{i, 0, column.kind == ColumnKind::words};
    for (const std::string& line : heading_lines(column.title)) {
      shown.width = std::max(shown.width, columns_of(line));
    }
    bool says = false;
    for (const std::size_t row : rows) {
      const std::string text = cell_text(table.rows[row].values[i], column.kind);
      says = says || text != "-";
      shown.width = std::max(shown.width, columns_of(text));
    }
    if (!says) continue;
    width += shown.width;
    all.push_back(shown);
  }
  const std::size_t gap = width + 2 * all.size() <= text_columns() ? 2 : 1;
  for (Shown& each : all) each.width += gap;
  constexpr std::size_t kLeast = 8;
  for (width += gap * all.size(); width > text_columns(); --width) {
    const auto widest = std::ranges::max_element(
        all, {}, [](const Shown& each) { return each.words ? each.width : 0; });
    if (widest == all.end() || !widest->words || widest->width <= kLeast) break;
    --widest->width;
  }
  return all;
}

std::string table_text(const ResultTable& table, bool full) {
  const std::vector<std::size_t> rows = shown_rows(table, full);
  const std::vector<Shown> columns = shown_columns(table, rows);
  std::string text;
  const auto line = [&](const auto& cell) {
    std::string cells;
    for (const Shown& each : columns) {
      const std::string words = cell(each.column);
      cells += each.words ? " " + left(words, each.width - 1) : right(words, each.width);
    }
    cells.erase(cells.find_last_not_of(' ') + 1);
    text += cells + "\n";
  };
  std::size_t height = 0;
  for (const Shown& each : columns) {
    height = std::max(height, heading_lines(table.columns[each.column].title).size());
  }
  for (std::size_t below = height; below-- > 0;) {  // lines of the heading that follow
    line([&](std::size_t column) {
      const std::vector<std::string> lines = heading_lines(table.columns[column].title);
      return below < lines.size() ? lines[lines.size() - 1 - below] : std::string();
    });
  }
  for (const std::size_t row : rows) {
    line([&](std::size_t column) {
      return cell_text(table.rows[row].values[column], table.columns[column].kind);
    });
  }
  if (rows.size() < table.rows.size()) {
    text += wrap(fmt::format("  {} of {} rows; --full has all.", rows.size(), table.rows.size()));
  }
  return text;
}

/// A line for each note of a row: `double batch: not tried: a gradient takes what compute: says`.
std::string notes_below(const ResultTable& table) {
  std::string text;
  for (const ResultRow& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const ResultColumn& column = table.columns[i];
      const std::string note = cell_text(row.values[i], column.kind);
      if (column.kind != ColumnKind::note || note == "-") continue;
      const std::string name = cell_text(row.values.front(), table.columns.front().kind);
      text += wrap(fmt::format("{}: {}: {}", name, column.title, note));
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Result& result, bool full) {
  std::string text = wrap(result.sentence);
  for (const ResultTable& table : result.tables) {
    if (table.rows.empty() || (table.full && !full)) continue;
    text += "\n";
    if (full && result.tables.size() > 1) text += wrap(table.title);
    text += table_text(table, full);
    if (full) text += notes_below(table);
  }
  if (!result.stands_on.empty()) text += "\n" + wrap(result.stands_on);
  if (!full || result.notes.empty()) return text;
  text += "\n";
  for (const std::string& note : result.notes) text += wrap(note);
  return text;
}

}  // namespace foretrain
