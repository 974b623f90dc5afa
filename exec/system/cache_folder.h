// The folder of what a program can make again.
#pragma once

#include <filesystem>

namespace foretrain::exec {

/// Where this user's programs keep what they can make again.
std::filesystem::path cache_folder();

}  // namespace foretrain::exec
