// Scenarios of the library, recognized by their first key.
#include "scenarios/language/propose.h"
#include "scenarios/language/value.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace foretrain {
namespace {

std::ptrdiff_t depth_of(const Example& example) { return std::ranges::count(example.name, '/'); }

/// The last part of a path: `slow_worker` of `studies/slow_worker.yaml`.
std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

std::vector<Example> library_examples() {
  const std::filesystem::path library = library_folder();
  std::vector<Example> examples;
  for (const std::string& name : library_files()) {
    const Value root = load_yaml((library / (name + ".yaml")).string());
    if (root.find("foretrain") == nullptr) continue;
    const Entry* question = root.find("question");
    examples.push_back({name, question == nullptr ? std::string() : question->value.text});
  }
  std::ranges::stable_sort(examples, {}, depth_of);
  return examples;
}

namespace {

/// The scenario whose name is `path` without its folder, or the most similar one; else empty.
std::string meant_by(const std::string& path) {
  if (library_files().empty()) return {};
  std::vector<Example> examples = library_examples();
  std::vector<std::string> names;
  names.reserve(examples.size());
  for (Example& example : examples) names.push_back(std::move(example.name));
  const std::string stem = stem_of(path);
  const auto same = std::ranges::find(names, stem, stem_of);
  if (same != names.end()) return *same;
  return nearest(path, names);
}

}  // namespace

std::string no_such_scenario(const std::string& path) {
  const std::string meant = meant_by(path);
  return fmt::format(
      "{}: there is no such file, and no such scenario in the library; {}foretrain examples lists "
      "its scenarios",
      path, meant.empty() ? "" : fmt::format("did you mean {}? ", meant));
}

}  // namespace foretrain
