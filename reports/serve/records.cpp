// The records in the output folder, as a list, as pages.
#include "reports/serve/routes.h"
#include "reports/show/page/page_report.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

namespace foretrain::serve {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A file by which the kind of a folder is recognized.
struct Kind {
  std::string_view file;
  std::string_view name;
};

constexpr auto kKinds = std::to_array<Kind>({{"validation.json", "validation"},
                                             {"sweep.csv", "sweep"},
                                             {"whatif.json", "whatif"},
                                             {"run.json", "record"}});
constexpr int kDeepest = 4;  // out/NAME/sweep/cases/CASE

struct FoundFolder {
  fs::path folder;
  std::string_view kind;
  fs::file_time_type written;
};

void look_into(const fs::path& folder, int depth, std::vector<FoundFolder>& found) {
  std::error_code ignored;
  for (const Kind& kind : kKinds) {
    const auto written = fs::last_write_time(folder / kind.file, ignored);
    if (ignored) continue;
    found.push_back({folder, kind.name, written});
    break;
  }
  if (depth == kDeepest) return;
  for (fs::directory_iterator each(folder, ignored), end; !ignored && each != end;
       each.increment(ignored)) {
    std::error_code none;
    // Links are not followed: they may lead out of the folder.
    if (each->is_directory(none) && !each->is_symlink(none)) {
      look_into(each->path(), depth + 1, found);
    }
  }
}

}  // namespace

Json records_json(const fs::path& out) {
  std::vector<FoundFolder> found;
  look_into(out, 0, found);
  std::ranges::stable_sort(found, std::ranges::greater{}, &FoundFolder::written);
  if (found.size() > kMostRecords) found.resize(kMostRecords);
  const auto now = fs::file_time_type::clock::now();
  Json json = Json::array();
  for (const FoundFolder& each : found) {
    const auto age = std::chrono::duration<double>(now - each.written);
    json.push_back({{"folder", each.folder.lexically_relative(out).generic_string()},
                    {"kind", each.kind},
                    {"age_s", std::max(0.0, age.count())}});
  }
  return json;
}

std::string record_page(const fs::path& out, const std::string& folder) {
  const fs::path asked = fs::path(folder).lexically_normal();
  const bool below = !asked.is_absolute() && (asked.empty() || *asked.begin() != "..");
  std::error_code error;
  const fs::path real = fs::canonical(out / asked, error);
  const fs::path root = error ? fs::path() : fs::canonical(out, error);
  const auto [end, rest] = std::ranges::mismatch(root, real);
  if (!below || error || end != root.end()) {
    throw InputError(fmt::format("{}: there is no such folder in {}", folder, out.string()));
  }
  Found found;
  add_folder(out / asked, found);
  return page_html(page_of(found));
}

}  // namespace foretrain::serve
