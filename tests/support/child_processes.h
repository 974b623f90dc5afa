// The child processes of a process.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {

inline std::vector<pid_t> child_processes(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // Reads line by line: if the process ends meanwhile, the file is empty and nothing is thrown.
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line == "PPid:\t" + std::to_string(parent)) found.push_back(std::stoi(name));
    }
  }
  return found;
}

}  // namespace foretrain::testing
