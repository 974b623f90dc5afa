// Comma-separated tables with exact round trips, errors that name the place.
#pragma once

#include "models/base/time.h"
#include "scenarios/language/csv.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Writes rows into a text. A double gets the fewest digits that read back as the same number, NaN
/// an empty cell, a time its seconds with nine decimals.
class CsvWriter {
 public:
  explicit CsvWriter(std::span<const std::string_view> columns);

  CsvWriter& integer(std::int64_t value);
  CsvWriter& time_s(Duration value);
  CsvWriter& time_s(Instant value) { return time_s(value - Instant{}); }
  CsvWriter& number(double value);
  CsvWriter& text(std::string_view value);  ///< quoted if needed (scenarios/language/csv.h)
  CsvWriter& empty();
  void end_row();

  [[nodiscard]] std::string_view written() const { return {buffer_.data(), buffer_.size()}; }
  /// Clears the text after it was stored elsewhere; later rows begin a new text.
  void forget() { buffer_.clear(); }

 private:
  void begin_cell();

  fmt::memory_buffer buffer_;
  bool row_begun_ = false;
};

/// Reads tables that CsvWriter wrote. Every error is an InputError that begins with `source:line`,
/// names the column, and ends with "the record is damaged".
class CsvReader {
 public:
  /// `text` must outlive the reader; its first row must be `columns`.
  CsvReader(std::string_view text, std::string source, std::span<const std::string_view> columns);

  /// Moves to the next row; false at the end.
  bool next_row();

  std::int64_t integer();
  std::optional<std::int64_t> optional_integer();
  Duration time_s();
  double number();  ///< an empty cell is NaN

 private:
  std::string_view cell();
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  [[noreturn]] void fail_cell(std::string_view cell, std::string_view wanted) const;

  std::string source_;
  std::span<const std::string_view> columns_;
  CsvRows rows_;
  std::size_t column_ = 0;
};

}  // namespace foretrain
