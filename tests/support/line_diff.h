// A line-by-line diff of two texts.
#pragma once

#include <string>
#include <string_view>

namespace foretrain::testing {

/// The changes from `before` to `after`: removed lines begin with `-`, added lines with `+`, up to
/// two lines of context with a blank. Empty if the texts are equal.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace foretrain::testing
