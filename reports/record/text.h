// Text laid out for a terminal, as wide as that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Where nobody knows how wide the terminal is, and in files.
inline constexpr std::size_t kTerminalColumns = 80;

/// What text is laid out for: kTerminalColumns, until somebody says otherwise. Any thread.
std::size_t text_columns();
void set_text_columns(std::size_t columns);

/// While one exists, text is laid out for kTerminalColumns: a file is the same whatever terminal it
/// was written from.
class FileColumns {
 public:
  FileColumns() : before_(text_columns()) { set_text_columns(kTerminalColumns); }
  FileColumns(const FileColumns&) = delete;
  FileColumns& operator=(const FileColumns&) = delete;
  ~FileColumns() { set_text_columns(before_); }

 private:
  std::size_t before_;
};

/// Columns that UTF-8 text takes, each character one.
std::size_t columns_of(std::string_view text);

/// `text` broken at spaces so that no line is wider than `columns`; ends in a line feed.
/// A word that is wider than a line is broken too.
std::string wrap(std::string_view text, std::size_t columns = text_columns());

/// Each line of `text` that is wider than the terminal broken at spaces, what is left of it
/// `indent` columns in; the others as they are.
std::string hang(std::string_view text, std::size_t indent);

/// `text` in exactly `columns`: filled with spaces, or cut with `...` at its end.
std::string left(std::string_view text, std::size_t columns);
/// As `left`, filled in front.
std::string right(std::string_view text, std::size_t columns);

/// `a`, `a and b`, `a; b; c and 2 more`: names that may have commas in them.
std::string listed(const std::vector<std::string>& names);

/// A word of a command line as a shell takes it: in quotes where it has to be.
std::string shell_word(const std::string& word);

/// `value` with four significant digits, `-` where it is not known.
std::string figure(std::optional<double> value);
/// `-3.1 %`, always with its sign; `-` where it is not known.
std::string signed_percent(std::optional<double> share);
/// What something costs: `12.35 USD`, of less than 1 with four digits; `-` where it is not known.
std::string cost_text(std::optional<double> cost, std::string_view currency);
/// `12,345,678`
std::string grouped(std::int64_t value);
/// `1,234 steps`, `1 step`
std::string counted(std::int64_t value, std::string_view what);

}  // namespace foretrain
