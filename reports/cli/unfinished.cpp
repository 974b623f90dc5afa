// Unfinished runs that can be resumed from a checkpoint.
#include "reports/cli/folders.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace foretrain {
namespace {

/// Number of words from `words[at]` on that form an option which a resumed run must not have; else
/// 0. These are --out, --resume, --force, and for a case of a sweep `--set sweep...`.
std::size_t words_left_out(const std::vector<std::string>& words, std::size_t at, bool sweep) {
  const std::string_view word = words[at];
  if (word == "--force") return 1;
  for (const std::string_view option : {"--out", "--resume"}) {
    if (word == option) return 2;
    if (word.starts_with(option) && word.substr(option.size()).starts_with("=")) return 1;
  }
  if (!sweep) return 0;
  if (word.starts_with("--set=sweep")) return 1;
  const bool of_sweep = at + 1 < words.size() && words[at + 1].starts_with("sweep");
  return word == "--set" && of_sweep ? 2 : 0;
}

}  // namespace

std::string command_to_resume(const std::vector<std::string>& words, const Case& scenario_case,
                              const std::filesystem::path& folder) {
  const bool sweep = !scenario_case.settings.empty();
  std::vector<std::string> others;
  others.reserve(words.size() + 2 * scenario_case.settings.size() + 4);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t left_out = words_left_out(words, at, sweep);
    if (left_out == 0) others.push_back(words[at]);
    at += left_out > 0 ? left_out : 1;
  }
  const auto add = [&](const std::string& option, const std::string& value) {
    others.push_back(option);
    others.push_back(value);
  };
  if (sweep) add("--set", "sweep=null");
  for (const Setting& each : scenario_case.settings) add("--set", each.key + "=" + each.value);
  add("--resume", folder.string());
  std::string line;
  for (const std::string& word : others) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string how_it_goes_on(const Answer& answer, const Case& scenario_case,
                           const std::filesystem::path& folder) {
  if (!answer.kept_step || !answer.provenance) return {};
  const auto step = answer.kept_step(scenario_case, folder);
  if (!step) return {};
  return fmt::format("continues from step {} with: {}", *step,
                     command_to_resume(answer.provenance().command, scenario_case, folder));
}

void check_unfinished(const Answer& answer, const std::vector<Case>& cases) {
  if (!answer.begins || answer.force) return;
  for (const Case& each : cases) {
    const std::filesystem::path folder = answer.folder_of(each);
    const std::string how = how_it_goes_on(answer, each, folder);
    if (how.empty()) continue;
    throw InputError(fmt::format(
        "{}: already holds this training, unfinished; to start again give --force, which removes "
        "its checkpoints, or name another folder with --out; it {}",
        folder.string(), how));
  }
}

}  // namespace foretrain
