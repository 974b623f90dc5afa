// The folder for data that can be recreated.
#pragma once

#include <filesystem>

namespace foretrain::exec {

/// The cache folder of this user's programs.
std::filesystem::path cache_folder();

}  // namespace foretrain::exec
