// Two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace foretrain::testing {

/// What has to be done to `before` so that it is `after`: lines that go begin with `-`, lines that
/// come with `+`, up to two that stay around them with a blank. Empty where the texts are equal.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace foretrain::testing
