// Reports an error in a data file.
#pragma once

#include "models/data/data_error.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace foretrain {

/// 47040016 as 47,040,016.
inline std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::int64_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

/// @throws DataError always, with the file and the error
template <class... Values>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Values...> what,
                         Values&&... values) {
  throw DataError(path + ": " + fmt::format(what, std::forward<Values>(values)...));
}

/// As above, with the line number, counted from 1.
template <class... Values>
[[noreturn]] void refuse_line(const std::string& path, std::int64_t line,
                              fmt::format_string<Values...> what, Values&&... values) {
  throw DataError(
      fmt::format("{}:{}: {}", path, line, fmt::format(what, std::forward<Values>(values)...)));
}

}  // namespace foretrain
