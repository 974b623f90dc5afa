// Text layout for a terminal of any width.
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

/// The width for files, and for a terminal of unknown width.
inline constexpr std::size_t kTerminalColumns = 80;

/// The width of laid-out text: kTerminalColumns until it is set. Any thread.
std::size_t text_columns();
void set_text_columns(std::size_t columns);

/// While an object exists, the width is kTerminalColumns: a file does not depend on the terminal.
class FileColumns {
 public:
  FileColumns() : before_(text_columns()) { set_text_columns(kTerminalColumns); }
  FileColumns(const FileColumns&) = delete;
  FileColumns& operator=(const FileColumns&) = delete;
  ~FileColumns() { set_text_columns(before_); }

 private:
  std::size_t before_;
};

/// Columns of UTF-8 text, one per character.
std::size_t columns_of(std::string_view text);

/// `text` broken at spaces into lines of at most `columns`, each with a line feed. A word that is
/// wider than a line is broken, too.
std::string wrap(std::string_view text, std::size_t columns = text_columns());

/// `text` with each line that is wider than the terminal broken at spaces; its continuation lines
/// are indented by `indent` columns.
std::string hang(std::string_view text, std::size_t indent);

/// `text` in exactly `columns`: padded with spaces, or cut with `...` at the end.
std::string left(std::string_view text, std::size_t columns);
/// As `left`, but padded in front.
std::string right(std::string_view text, std::size_t columns);

/// `a`, `a and b`, `a; b; c and 2 more`; the names may contain commas.
std::string listed(const std::vector<std::string>& names);

/// A word of a command line, quoted for a shell if needed.
std::string shell_word(const std::string& word);

/// `value` with four significant digits; `-` if it is not known.
std::string figure(std::optional<double> value);
/// A relative change: `-3.1 %`, always signed, `35 x` if large; `-` if it is not known.
std::string signed_percent(std::optional<double> share);
/// A cost: `12.35 USD`, `1,634,599 USD`, below 1 with four digits; `-` if it is not known.
std::string cost_text(std::optional<double> cost, std::string_view currency);
/// `12,345,678`
std::string grouped(std::int64_t value);
/// `1,234 steps`, `1 step`
std::string counted(std::int64_t value, std::string_view what);

}  // namespace foretrain
