// What stands where a file should be.
#pragma once

#include <filesystem>

namespace foretrain {

/// Refuses a folder, a pipe, a socket, a device where a file is to be read: reading would fail
/// without saying why, or never end. /dev/stdin and /dev/fd/63, which a shell hands over, may be
/// pipes. A path that is absent passes: who opens it says so. @throws InputError
void check_is_file(const std::filesystem::path& path);

}  // namespace foretrain
