// Lists the checkout by git, or by a walk over its folders.
#include "tests/house/tree.h"

#include "tests/support/places.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

namespace foretrain::house {
namespace {

namespace fs = std::filesystem;

const fs::path& root() {
  static const fs::path path = source_dir();
  return path;
}

std::vector<std::string> paths_by_git() {
  std::vector<std::string> paths;
  // Requires a .git in the checkout, which may be inside another repository.
  if (!fs::exists(root() / ".git")) return paths;
  const std::string command = "git -C '" + root().string() +
                              "' ls-files -z --cached --others --exclude-standard 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  if (!pipe) return paths;
  std::string path;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    if (c != '\0') {
      path += static_cast<char>(c);
    } else {
      paths.push_back(std::exchange(path, {}));
    }
  }
  return paths;
}

std::vector<std::string> paths_by_walk() {
  std::vector<std::string> paths;
  for (auto entry = fs::recursive_directory_iterator(root());
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string path = fs::relative(entry->path(), root()).string();
    if (path == "build" || path == "out" || path == ".git" || path == ".cache") {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.push_back(path);
    }
  }
  return paths;
}

}  // namespace

std::vector<std::string> paths_of_tree() {
  std::vector<std::string> paths = paths_by_git();
  if (paths.empty()) paths = paths_by_walk();
  // git also lists files that were deleted since the last commit.
  std::erase_if(paths, [](const std::string& path) { return !fs::is_regular_file(root() / path); });
  std::ranges::sort(paths);
  return paths;
}

std::vector<SourceFile> files_of_tree(const std::vector<std::string>& endings) {
  std::vector<SourceFile> files;
  for (const std::string& path : paths_of_tree()) {
    if (std::ranges::none_of(endings, [&](const auto& e) { return path.ends_with(e); })) continue;
    std::ifstream in(root() / path, std::ios::binary);
    files.push_back({path, {std::istreambuf_iterator<char>(in), {}}});
  }
  return files;
}

}  // namespace foretrain::house
