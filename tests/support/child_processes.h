// The processes that another one has started.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace foretrain::testing {

inline std::vector<pid_t> child_processes(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "status");
    const std::string status{std::istreambuf_iterator<char>(file), {}};
    if (status.find("PPid:\t" + std::to_string(parent) + "\n") == std::string::npos) continue;
    found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace foretrain::testing
