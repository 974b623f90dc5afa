// Mappings with a base in the library: `like: NAME`.
#include "scenarios/language/propose.h"
#include "scenarios/language/reader.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_unknown_name(const Value& like, const std::string& path,
                                    const std::vector<std::string>& names) {
  const std::string near = nearest(like.text, names);
  fail_at(to_text(like.mark), path + ".like",
          fmt::format("the library has no {}; {}there are {}", to_flow(like),
                      near.empty() ? "" : fmt::format("did you mean {}? ", near),
                      fmt::join(names, ", ")));
}

/// The name of an item with `like: name`.
std::string name_after(std::string name, bool numbered) {
  if (numbered && name.back() >= '0' && name.back() <= '9') name += '-';
  return name;
}

}  // namespace

std::vector<std::string> library_names(std::string_view folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(library_folder() / folder, none)) {
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Value load_preset(std::string_view folder, const Value& item, const std::string& path) {
  const Value& like = item.find("like")->value;
  // Names from this list only, so that a name cannot lead out of the folder.
  const std::vector<std::string> names = library_names(folder);
  const std::string known = in_any_case(like.text, names);
  if (known.empty()) fail_unknown_name(like, path, names);
  Value kept = load_yaml((library_folder() / folder / (known + ".yaml")).string());
  if (kept.kind != Value::Kind::map) {
    fail_at(to_text(kept.mark), path,
            fmt::format("{}; write a mapping, a line `key: value` for each of its keys",
                        kind_name(kept.kind)));
  }
  if (const Entry* further = kept.find("like")) {
    fail_at(to_text(further->mark), path + ".like",
            "files of the library cannot build on each other; write its keys out");
  }
  if (folder != "hardware") return kept;
  Value name = like;
  name.text = name_after(known, item.find("count") != nullptr);
  kept.erase("name");
  kept.entries.push_back({"name", like.mark, std::move(name)});
  return kept;
}

}  // namespace foretrain
