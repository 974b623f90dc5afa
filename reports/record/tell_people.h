// What people are told beside the result.
#pragma once

#include <string_view>

namespace foretrain {

/// Writes to standard error. Where that takes no more, nothing is told: no training ends for it.
void tell_people(std::string_view text);

}  // namespace foretrain
