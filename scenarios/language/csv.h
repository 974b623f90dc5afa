// Tables of comma-separated values.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

struct CsvCell {
  std::string_view text;   ///< without its quotes; valid until the next row
  std::size_t column = 1;  ///< of the line at which it begins, counted from 1
};
using CsvCells = std::vector<CsvCell>;

/// Splits a table into rows and cells (RFC 4180): a cell in double quotes may hold commas, line
/// feeds, and doubled quotes. Blanks around a cell, including the carriage return of a line's end,
/// are removed.
class CsvRows {
 public:
  /// How blank lines and lines that begin with `#` are treated.
  enum class Comments { are_rows, are_passed_over };
  /// Called if a quote does not end or text follows its end; has to throw.
  using Fail = std::function<void(std::size_t line, std::size_t column, const std::string& what)>;

  /// `text` has to outlive the reader.
  CsvRows(std::string_view text, Comments comments, Fail fail);
  CsvRows(const CsvRows&) = delete;
  CsvRows& operator=(const CsvRows&) = delete;

  /// Goes to the next row; false at the end.
  bool next();

  [[nodiscard]] const CsvCells& cells() const { return cells_; }
  /// The cells of the row as copies.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// The line on which the row begins, counted from 1.
  [[nodiscard]] std::size_t line() const { return row_line_; }
  /// Whether a line feed ends the row; only the last row may lack it.
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
  std::size_t at_ = 0;          // next character to read
  std::size_t line_ = 1;        // line of at_
  std::size_t line_begin_ = 0;  // in text_
  std::size_t row_line_ = 0;
  bool ended_ = true;
  CsvCells cells_;
  std::deque<std::string> undoubled_;  // unescaped texts of cells with doubled quotes
};

}  // namespace foretrain
