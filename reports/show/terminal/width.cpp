#include "reports/show/terminal/width.h"

#include "reports/record/wrapped_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace foretrain {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 1'000;  // larger values are ignored

std::optional<std::size_t> said_columns() {
  const char* const said = std::getenv("COLUMNS");
  if (said == nullptr) return std::nullopt;
  const std::string_view text = said;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || columns == 0 || columns > kWidest) return std::nullopt;
  return columns;
}

std::optional<std::size_t> seen_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

std::size_t width_of_terminal(int descriptor) {
  std::optional<std::size_t> columns = said_columns();
  if (!columns) columns = seen_columns(descriptor);
  return std::clamp(columns.value_or(kTerminalColumns), kNarrowest, kWidest);
}

bool moves_cursor(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(descriptor) != 0 && !dumb;
}

}  // namespace foretrain
