// The records in the output folder, as a list, as pages.
#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/serve/routes.h"
#include "reports/show/page/page_report.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>
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

constexpr auto kKinds = std::to_array<Kind>({{"validation.json", "validate"},
                                             {"sweep.json", "sweep"},
                                             {"whatif.json", "whatif"},
                                             {kRunFile, "record"}});
constexpr int kDeepest = 4;                      // out/NAME/simulate/CASE/SEED
constexpr std::uintmax_t kLongRows = 1U << 24U;  // bytes; longer ones are not read for the list

struct FoundFolder {
  fs::path folder;
  Kind kind;
  fs::file_time_type written;
  std::vector<fs::path> records;  ///< of the cases of a sweep, or of repetitions; else its own
};

void look_into(const fs::path& folder, int depth, std::vector<FoundFolder>& found) {
  std::error_code ignored;
  for (const Kind& kind : kKinds) {
    const auto written = fs::last_write_time(folder / kind.file, ignored);
    if (ignored) continue;
    found.push_back({folder, kind, written, {folder}});
    if (kind.file != kRunFile) return;  // records below are parts of it
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

/// Folders with the records of cases, `strategy=sync`, become one: their parent, `simulate-seed=2`.
std::vector<FoundFolder> with_cases_folded(std::vector<FoundFolder> found) {
  std::vector<FoundFolder> folded;
  for (FoundFolder& each : found) {
    const std::string name = each.folder.filename().string();
    const bool of_case = each.kind.file == kRunFile && name.find('=') < name.find('-');
    if (of_case) each.folder = each.folder.parent_path();
    const auto known = std::ranges::find(folded, each.folder, &FoundFolder::folder);
    if (known == folded.end() || !of_case)
      folded.push_back(std::move(each));
    else
      known->records.insert(known->records.begin(), each.records.front());
  }
  return folded;
}

/// The question, the result as its report says it, for records the kind.
Json said_by(const FoundFolder& found) {
  if (found.kind.file != kRunFile) {
    const Json json = Json::parse(read_text_file(found.folder / found.kind.file));
    if (json.contains("sentence"))
      return {{"question", json.at("question")}, {"result", json.at("sentence")}};
    const Value asked = load_yaml((found.folder / "scenario.yaml").string());
    const Entry* question = asked.find("question");
    return {{"question", question == nullptr ? "" : question->value.text},
            {"result", json.at("limit").at("sentence")}};
  }
  std::vector<Record> records;
  bool complete = true;
  for (const fs::path& folder : found.records) {
    std::error_code none;
    const auto bytes = fs::file_size(folder / kStepsFile, none);
    complete = complete && (none || bytes < kLongRows);
    records.push_back(complete ? read_record(folder) : *read_record_head(folder));
    keep_summary(records.back());
  }
  return {{"kind", name_of(records.front().mode)},
          {"question", records.front().scenario_case.scenario.question},
          {"result", complete ? result_of(records).sentence : ""}};
}

}  // namespace

Json records_json(const fs::path& out) {
  std::vector<FoundFolder> found;
  look_into(out, 0, found);
  std::ranges::stable_sort(found, std::ranges::greater{}, &FoundFolder::written);
  if (found.size() > kMostRecords) found.resize(kMostRecords);
  found = with_cases_folded(std::move(found));
  const auto now = fs::file_time_type::clock::now();
  Json json = Json::array();
  for (const FoundFolder& each : found) {
    const auto age = std::chrono::duration<double>(now - each.written);
    json.push_back({{"folder", each.folder.lexically_relative(out).generic_string()},
                    {"kind", each.kind.name},
                    {"age_s", std::max(0.0, age.count())}});
    try {
      json.back().update(said_by(each));
    } catch (const std::exception& error) {
      json.back()["result"] = error.what();
    }
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
