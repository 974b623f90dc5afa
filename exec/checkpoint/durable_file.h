// Files that are written to the disk completely or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain::exec {

/// Writes a temporary file next to `path`, syncs it, renames it, and syncs the folder, which is
/// created if absent. So after a crash or power failure either the old or the new file exists.
/// @throws InputError that names the file if the disk fails; nothing of it remains then
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Removes the file, and the temporary file of a writer that was killed.
void remove_written(const std::filesystem::path& path);

/// SHA-256 in hexadecimal digits.
std::string sha256_of(std::string_view text);

}  // namespace foretrain::exec
