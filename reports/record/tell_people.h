// What people are told beside the result.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace foretrain {

/// Writes to standard error, control characters as `\u001b`. Where that takes no more, nothing is
/// told: no training ends for it.
void tell_people(std::string_view text);
/// The same of text that moves the cursor of a terminal.
void draw_for_people(std::string_view text);

/// What went wrong, with what is short where the system starts no more processes and threads.
std::string reason_of(const std::exception& error);

}  // namespace foretrain
