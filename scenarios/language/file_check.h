// A check that a path names a readable file.
#pragma once

#include <filesystem>

namespace foretrain {

/// Rejects a folder, pipe, socket or device in place of an input file: reading it would fail
/// without a reason or never end. Pipes are allowed for /dev/stdin and /dev/fd/63, which a shell
/// passes. Accepts a path that does not exist; the function that opens it reports that.
/// @throws InputError
void check_is_file(const std::filesystem::path& path);

}  // namespace foretrain
