// Checks on text before a YAML parser reads it.
#pragma once

#include <string>
#include <string_view>

namespace foretrain {

/// The file's content, at most 1 MB. @throws InputError
std::string read_text(const std::string& path);

/// Accepts UTF-8 of at most 1 MB whose only control characters are tabs and line ends.
/// @throws InputError with the line and column of the first other byte
void check_text(std::string_view text, const std::string& source);

/// The control characters of text laid out in lines.
inline constexpr std::string_view kLayout = "\t\n";
/// Rejects text with a control character (Unicode's Cc) outside `allowed`: a terminal could obey
/// it, a file name could end at it. `place` begins the message. @throws InputError
void refuse_controls(std::string_view text, const std::string& place,
                     std::string_view allowed = {});
/// The text in printable form: each control character outside kLayout becomes `\u001b` or alike,
/// which JSON reads back.
std::string printable(std::string_view text);

/// Whether all of it is UTF-8, control characters included.
bool is_utf8(std::string_view text);

}  // namespace foretrain
