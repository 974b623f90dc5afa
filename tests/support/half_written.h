// Leftovers of writers that failed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {

/// Temporary files below `folder`, which should have replaced their targets.
inline std::vector<std::string> half_written(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".new") != std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace foretrain::testing
