#include "reports/cli/folders.h"

#include "models/base/random.h"
#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/read.h"
#include "scenarios/resolve/relative_paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScenarioFile = "scenario.yaml";

bool fits_file_name(const std::string& text) {
  constexpr std::size_t kMost = 60;  // people read it, type it
  return text.size() <= kMost && std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || std::string_view("=,._+-").find(c) != std::string::npos;
         });
}

/// `training.batch_size 16, while this has 8`
std::string in_words(const Difference& difference) {
  constexpr std::size_t kMost = 40;  // a long value such as a list of hosts is hard to read
  const bool short_enough = difference.first.size() <= kMost && difference.second.size() <= kMost;
  if (!short_enough || difference.first.empty() || difference.second.empty()) {
    return fmt::format("another {}", difference.key);
  }
  return fmt::format("{} {}, while this has {}", difference.key, difference.first,
                     difference.second);
}

/// Describes the record in `place` if it has another scenario or mode; else empty.
std::string other_record(const ClaimedPlace& place, Mode mode) {
  std::optional<Record> held;
  try {
    held = read_record_head(place.folder);
  } catch (const InputError& error) {
    return fmt::format("a record that cannot be read ({})", error.what());
  }
  if (!held) return {};
  const Scenario& scenario = held->scenario_case.scenario;
  const std::string what =
      fmt::format("a {} of {}", held->mode == Mode::run ? "run" : "simulation", scenario.name);
  const auto difference = difference_in_scenario(scenario, place.scenario);
  if (!difference) return held->mode == mode ? std::string() : what;
  return difference->key == "name" ? what : what + " with " + in_words(*difference);
}

/// Likewise for an answer that is not a record, whose page would replace that of a record.
std::string other_answer(const ClaimedPlace& place) {
  if (fs::exists(place.folder / kRunFile)) return "the record of a training";
  const fs::path path = place.folder / kScenarioFile;
  if (!fs::exists(path)) return {};
  const std::string text = read_text_file(path);
  const Scenario ours = paths_relative_to(place.folder, place.scenario);
  if (text == to_yaml(ours)) return {};
  try {
    const Scenario other = parse_scenario(text, path.string()).front().scenario;
    const auto difference = difference_in_scenario(other, ours);
    if (!difference) return {};
    const std::string what = fmt::format("an answer about {}", other.name);
    return difference->key == "name" ? what : what + " with " + in_words(*difference);
  } catch (const InputError&) {
    return "an answer about another scenario";  // written by another version of this program
  }
}

/// Throws InputError or notes that `found`, the description of a record in `folder`, is replaced.
/// Does nothing if it is empty, or if the record is continued.
void give_way(const Answer& answer, const fs::path& folder, const std::string& found) {
  if (found.empty() || answer.goes_on) return;
  if (answer.out.empty() || answer.force) {
    return answer.say(fmt::format("{}: replaces {}", folder.string(), found));
  }
  throw InputError(fmt::format(
      "{}: already holds {}; name another folder with --out, or replace it with --force",
      folder.string(), found));
}

/// Checks the folder around the cases, since a report of it would show its own record only.
void look_at_root(const Answer& answer, const fs::path& root,
                  const std::vector<ClaimedPlace>& places, Mode mode) {
  if (!fs::exists(root / kRunFile)) return;
  std::string found;
  for (const ClaimedPlace& place : places) {
    found = other_record({root, place.scenario}, mode);
    if (found.empty()) break;
  }
  if (!found.empty() && !answer.out.empty() && !answer.force) give_way(answer, root, found);
  answer.say(fmt::format("{} is an earlier record; it is kept beside the new ones",
                         (root / kRunFile).string()));
}

/// Notes the names of earlier results that remain in `folder`.
void tell_names(const Output& output, const fs::path& folder, std::vector<std::string> names,
                std::string_view what, std::string_view of) {
  constexpr std::size_t kNamed = 4;
  if (names.empty()) return;
  std::ranges::sort(names);
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamed));
  output.say(
      fmt::format("{} also holds {} of an earlier {}: {}{}", folder.string(),
                  count == 1 ? fmt::format("a {}", what) : fmt::format("{} {}s", count, what), of,
                  fmt::join(names, ", "), count > kNamed ? ", ..." : ""));
}

/// Notes records in subfolders of `around` that are not `ours`.
void tell_strangers(const Answer& answer, const fs::path& around, const std::set<fs::path>& ours) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(around, error), end; !error && each != end;
       each.increment(error)) {
    if (ours.contains(each->path()) || !fs::exists(each->path() / kRunFile)) continue;
    names.push_back(each->path().filename().string());
  }
  tell_names(answer, around, std::move(names), "record", "command");
}

}  // namespace

std::string settings_name(std::vector<std::string> settings) {
  std::ranges::stable_sort(settings, {}, [](const std::string& setting) {
    return setting.substr(0, setting.find('='));
  });
  const std::string all = fmt::format("{}", fmt::join(settings, ","));
  // Brackets and quotes of lists carry no information here.
  std::string name = all;
  std::erase_if(name,
                [](char c) { return std::string_view(" []{}'\"").find(c) != std::string::npos; });
  return fits_file_name(name) ? name : fmt::format("{:08x}", Stream(0, all).bits() >> 32U);
}

void number_folder(Answer& answer, const Case& scenario_case) {
  const fs::path root = answer.root_of(scenario_case.scenario);
  const auto numbered = [&](int number) {
    return number == 1 ? root : fs::path(fmt::format("{}-{}", root.string(), number));
  };
  const auto taken = [&](int number) {
    std::error_code none;
    return fs::exists(numbered(number), none) && !fs::is_empty(numbered(number), none);
  };
  int number = 1;
  while (taken(number)) ++number;
  if (!answer.begins && number > 1) --number;
  if (number == 1) return;
  answer.out = numbered(number);
  answer.say(fmt::format("{} has an earlier run with these settings; this one is in {}",
                         root.string(), answer.out.string()));
}

void claim_folders(const Answer& answer, const fs::path& root,
                   const std::vector<ClaimedPlace>& places, Mode mode) {
  std::set<fs::path> ours{root};
  std::set<fs::path> around{root};
  for (const ClaimedPlace& place : places) {
    give_way(answer, place.folder, other_record(place, mode));
    ours.insert(place.folder);
    // Cases with seeds have two levels of folders; a root may end with a slash.
    const auto below_root = [&](const fs::path& path) {
      return path.native().size() > root.native().size();
    };
    for (fs::path above = place.folder.parent_path(); below_root(above);
         above = above.parent_path()) {
      ours.insert(above);
      around.insert(above);
    }
  }
  const bool apart = std::ranges::none_of(places, [&](const auto& p) { return p.folder == root; });
  if (apart) look_at_root(answer, root, places, mode);
  for (const fs::path& each : around) tell_strangers(answer, each, ours);
}

void claim_answers(const Answer& answer, const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const fs::path folder = answer.folder_of(each);
    give_way(answer, folder, other_answer({folder, each.scenario}));
  }
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
}

EarlierFiles::EarlierFiles(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (fs::directory_iterator each(folder_, error), end; !error && each != end;
       each.increment(error)) {
    if (!each->is_regular_file(error)) continue;
    written_.emplace(each->path().filename().string(), each->last_write_time(error));
  }
}

void EarlierFiles::tell(const Output& output) const {
  std::vector<std::string> names;
  names.reserve(written_.size());
  for (const auto& [name, written] : written_) {
    std::error_code error;
    if (fs::last_write_time(folder_ / name, error) == written) names.push_back(name);
  }
  tell_names(output, folder_, std::move(names), "file", "report");
}

void sign_answer(const fs::path& folder, const Scenario& scenario) {
  write_text_file(folder / kScenarioFile, to_yaml(paths_relative_to(folder, scenario)));
}

void refuse_existing(const std::string& file, bool replace) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(file + ": a folder; name a file in it");
  }
  if (replace || !std::filesystem::exists(file, ignored)) return;
  throw InputError(file + " exists already; name another file by --out, or give --force");
}

}  // namespace foretrain
