#include "tests/bench/peer.h"

#include "tests/support/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace foretrain::bench {

std::string peers_folder() {
  const std::string folder = source_dir() + "/../shared/peers";
  if (!std::filesystem::is_directory(folder)) {
    throw std::runtime_error(folder + ": not here, so there is no peer to compare with");
  }
  return folder;
}

std::vector<std::string> lines_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot start " + command);
  std::vector<std::string> lines;
  std::array<char, 1024> line{};
  while (fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    lines.emplace_back(line.data());
  }
  return lines;
}

std::optional<double> number_after(const std::string& line, const std::string& label) {
  const auto at = line.find(label);
  if (at == std::string::npos) return {};
  return std::stod(line.substr(at + label.size()));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void check_only(const std::vector<std::string>& only, const std::vector<std::string>& names) {
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw std::runtime_error(fmt::format("--only {}: there are {}", name, fmt::join(names, ", ")));
  }
}

}  // namespace foretrain::bench
