// Refuses what cannot be a YAML file before a parser sees it.
#pragma once

#include <string>
#include <string_view>

namespace foretrain {

/// The file's content, at most 1 MB. @throws InputError
std::string read_text(const std::string& path);

/// Passes UTF-8 of at most 1 MB without control characters but tabs and ends of lines. @throws
/// InputError with the line and column of the first byte that is something else
void check_text(std::string_view text, const std::string& source);

/// What text that is laid out in lines has of control characters.
inline constexpr std::string_view kLayout = "\t\n";
/// Refuses text with a control character (Unicode's Cc) that is none of `allowed`: a terminal could
/// obey it, a file's name end there. `place` stands before the message. @throws InputError
void refuse_controls(std::string_view text, const std::string& place,
                     std::string_view allowed = {});
/// The text as it may be printed: each control character but those of kLayout as `\u001b`, which
/// JSON reads back.
std::string printable(std::string_view text);

/// Whether all of it is UTF-8; control characters may be in it.
bool is_utf8(std::string_view text);

}  // namespace foretrain
