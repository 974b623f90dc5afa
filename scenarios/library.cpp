// The library is looked for where a build, where an installation has it.
#include "scenarios/library.h"

#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Of the program that runs; empty where the system does not tell.
fs::path installed_beside() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return program.parent_path().parent_path() / "share/foretrain/scenarios";
}

}  // namespace

fs::path library_folder() {
  if (const char* named = std::getenv("FORETRAIN_LIBRARY"); named != nullptr && *named != '\0') {
    if (is_folder(named)) return named;
    throw InputError(fmt::format(
        "FORETRAIN_LIBRARY: {} is no folder; name the one with the scenarios, or unset it", named));
  }
  for (const fs::path& place : {installed_beside(), fs::path(FORETRAIN_SCENARIOS_DIR)}) {
    if (!place.empty() && is_folder(place)) return place;
  }
  throw InputError(
      "the scenarios that come with foretrain are not there; name their folder in the "
      "environment variable FORETRAIN_LIBRARY");
}

std::string in_library(const std::string& path) {
  constexpr std::string_view kFolder = "scenarios/";
  std::error_code ignored;
  if (fs::exists(path, ignored) || !path.starts_with(kFolder)) return path;
  const fs::path kept = library_folder() / path.substr(kFolder.size());
  return fs::exists(kept, ignored) ? kept.string() : path;
}

std::vector<std::string> library_names(std::string_view folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(library_folder() / folder, none)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace foretrain
