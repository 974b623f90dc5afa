// A limit to the nesting of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace foretrain {

/// Returns the line, counted from 1, on which `json` exceeds kMostJsonLevels; nothing if none does.
/// To be called before a parser: code that copies or prints a value recurses once per level, and a
/// million levels exhaust the stack. `json` need not be valid JSON.
std::optional<std::size_t> nested_too_deep(std::string_view json);

inline constexpr int kMostJsonLevels = 100;

}  // namespace foretrain
