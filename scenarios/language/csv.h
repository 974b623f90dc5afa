// Tables of comma-separated values, whoever wrote them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

struct CsvCell {
  std::string_view text;   ///< without its quotes; until the next row
  std::size_t column = 1;  ///< at which it begins in its line, counted from 1
};
using CsvCells = std::vector<CsvCell>;

/// Cuts a table into rows and cells (RFC 4180): a cell in double quotes may hold commas, line
/// feeds, and quotes, which are doubled. Blanks around a cell, the carriage return of a line's end
/// among them, are no part of it.
class CsvRows {
 public:
  /// Blank lines and those that begin with `#`.
  enum class Comments { are_rows, are_passed_over };
  /// Told where a quote does not end, or text follows its end; has to throw.
  using Fail = std::function<void(std::size_t line, std::size_t column, const std::string& what)>;

  /// `text` outlives it.
  CsvRows(std::string_view text, Comments comments, Fail fail);
  CsvRows(const CsvRows&) = delete;
  CsvRows& operator=(const CsvRows&) = delete;

  /// Goes to the next row; false at the end.
  bool next();

  [[nodiscard]] const CsvCells& cells() const { return cells_; }
  /// The same, as text of their own.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// On which the row begins, counted from 1.
  [[nodiscard]] std::size_t line() const { return row_line_; }
  /// Whether a line feed ends the row; only the last one may have none.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  void pass_over_comments();
  void read_cell();
  void read_quoted(std::size_t begin);
  [[nodiscard]] std::size_t end_of_cell(std::size_t from) const;
  [[nodiscard]] std::size_t column_of(std::size_t at) const { return at - line_begin_ + 1; }

  std::string_view text_;
  Comments comments_;
  Fail fail_;
  std::size_t at_ = 0;          // what is still to be read
  std::size_t line_ = 1;        // that at_ is in
  std::size_t line_begin_ = 0;  // in text_
  std::size_t row_line_ = 0;
  bool ended_ = true;
  CsvCells cells_;
  std::deque<std::string> undoubled_;  // texts of cells that hold quotes
};

}  // namespace foretrain
