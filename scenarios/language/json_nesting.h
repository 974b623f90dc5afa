// JSON that is nested deeper than anybody writes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace foretrain {

/// The line, from 1, on which `json` is nested deeper than any file of ours; empty: on none. To be
/// asked before a parser is: what copies or prints a value calls itself for each level, and has no
/// stack left for a million of them. `json` may be no JSON at all.
std::optional<std::size_t> nested_too_deep(std::string_view json);

inline constexpr int kMostJsonLevels = 100;

}  // namespace foretrain
