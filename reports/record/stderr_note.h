// Messages for people, separate from the result.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace foretrain {

/// Writes to standard error, with control characters as `\u001b`. If that fails, the text is
/// dropped: no training ends because of it.
void stderr_note(std::string_view text);
/// The same for text that moves the cursor of a terminal.
void stderr_draw(std::string_view text);

/// The text of an error, with advice if the system starts no more processes and threads.
std::string reason_of(const std::exception& error);

}  // namespace foretrain
