// What a writer that failed may not leave behind.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {

/// Files below `folder` that were written beside those whose place they were to take.
inline std::vector<std::string> half_written(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".new") != std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace foretrain::testing
