// Suggestions for misspelled words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace foretrain {

/// The least number of insertions, removals, replacements, or swaps of adjacent letters that turn
/// `a` into `b` (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate closest to `text`: at most one edit in up to four letters, two in up to nine, else
/// three; empty if none is that close.
std::string nearest(std::string_view text, std::span<const std::string> candidates);

/// The one of `names` that is `text` in any case (of ASCII letters); empty if there is none.
std::string in_any_case(std::string_view text, std::span<const std::string> names);

}  // namespace foretrain
