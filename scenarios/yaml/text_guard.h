// Refuses what cannot be a YAML file before a parser sees it.
#pragma once

#include <string>
#include <string_view>

namespace foretrain {

/// The file's content, at most 1 MB. @throws InputError
std::string read_text(const std::string& path);

/// Passes UTF-8 of at most 1 MB without control characters. @throws InputError with the line and
/// column of the first byte that is something else
void check_text(std::string_view text, const std::string& source);

/// Whether all of it is UTF-8; control characters may be in it.
bool is_utf8(std::string_view text);

}  // namespace foretrain
