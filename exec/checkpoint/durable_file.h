// A file that is on the disk, whole, or not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain::exec {

/// Written beside its place, forced to the disk, then moved there; its folder, made where it is
/// absent, is forced to the disk, too. So whatever is killed, or loses its power, there is the
/// older file or the new one. @throws InputError that names the file, where the disk takes no more;
/// nothing of it stays then
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Removes it, with what a writer that was killed has left beside it.
void remove_written(const std::filesystem::path& path);

/// SHA-256 in hexadecimal digits.
std::string sha256_of(std::string_view text);

}  // namespace foretrain::exec
