// Finds the library of a build or an installation.
#include "scenarios/library/library.h"

#include "scenarios/language/input_error.h"

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

/// The library folder of the installed program, PREFIX/bin/foretrain or
/// PREFIX/lib/foretrain/foretrain-avx512; empty if the system does not tell the program's path.
fs::path installed_beside() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = program.parent_path();
  const bool behind = folder.filename() == "foretrain" && folder.parent_path().filename() == "lib";
  const fs::path prefix = behind ? folder.parent_path().parent_path() : folder.parent_path();
  return prefix / "share/foretrain/scenarios";
}

/// Whether `path` can be read: a device can, a folder cannot.
bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// Whether `path` may be a name in the library, i.e. is relative without leaving its folder.
bool is_name(const std::string& path) {
  const fs::path name(path);
  return !path.empty() && name.is_relative() && !name.lexically_normal().string().starts_with("..");
}

/// The library folder; empty if there is none.
fs::path find_library() {
  if (const char* named = std::getenv("FORETRAIN_LIBRARY"); named != nullptr && *named != '\0') {
    if (is_folder(named)) return named;
    throw InputError(fmt::format(
        "FORETRAIN_LIBRARY: {} is no folder; name the one with the scenarios, or unset it", named));
  }
  for (const fs::path& place : {installed_beside(), fs::path(FORETRAIN_SCENARIOS_DIR)}) {
    if (!place.empty() && is_folder(place)) return place;
  }
  return {};
}

}  // namespace

fs::path library_folder() {
  fs::path found = find_library();
  if (!found.empty()) return found;
  throw InputError(
      "the scenarios that come with foretrain are missing; name their folder in the environment "
      "variable FORETRAIN_LIBRARY");
}

std::string in_library(const std::string& path) {
  constexpr std::string_view kFolder = "scenarios/";
  if (is_file(path)) return path;
  if (path.starts_with(kFolder)) {
    const fs::path kept = library_folder() / path.substr(kFolder.size());
    return is_file(kept) ? kept.string() : path;
  }
  if (!is_name(path)) return path;
  const fs::path library = find_library();
  if (library.empty()) return path;
  const fs::path named = library / (path + ".yaml");
  return is_file(named) ? named.string() : path;
}

std::vector<std::string> library_files() {
  const fs::path library = find_library();
  std::vector<std::string> names;
  if (library.empty()) return names;
  constexpr auto kReadable = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(library, kReadable)) {
    if (entry.path().extension() != ".yaml") continue;
    names.push_back(entry.path().lexically_relative(library).replace_extension().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace foretrain
