// What somebody probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace foretrain {

/// Insertions, removals, replacements, or swaps of neighbours that make `a` into `b`, at fewest
/// (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `text` is a slip of: one edit in up to four letters, two in up to nine, else
/// three; empty where none is that near.
std::string nearest(std::string_view text, std::span<const std::string> candidates);

}  // namespace foretrain
