// Completion of the command line for three shells.
#include "reports/cli/arguments.h"
#include "reports/cli/describe.h"
#include "scenarios/library/library.h"
#include "scenarios/scaffold/scaffold.h"
#include "scenarios/spec/reference.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace foretrain {
namespace {

constexpr const char* kBash =
    R"(# Completion of foretrain for bash, as `foretrain describe bash` prints it.
_foretrain() {
  # Without a line of the program, bash goes on to file names.
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" describe words -- \
    "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
  if [[ ${COMPREPLY[0]} == *[=/] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _foretrain foretrain
)";

constexpr const char* kZsh = R"(#compdef foretrain
# Completion of foretrain for zsh, as `foretrain describe zsh` prints it.
_foretrain() {
  local -a lines=("${(@f)$($words[1] describe words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local -a suffix=()
  [[ $lines[1] == *[=/] ]] && suffix=(-S '')
  [[ -z $lines[1] ]] && { _files; return; }
  lines=("${(@)lines/$'\t'/:}")
  _describe foretrain lines $suffix
}
_foretrain "$@"
)";

constexpr const char* kFish =
    R"(# Completion of foretrain for fish, as `foretrain describe fish` prints it.
function __foretrain_words
  set -l typed (commandline -opc) (commandline -ct)
  foretrain describe words -- $typed[2..-1] 2>/dev/null
end
complete -c foretrain -a '(__foretrain_words)'
)";

/// The choices of an option, as in `TEXT:{all,summary}`; none if it has none. Of a choice such as
/// `near->0` only the name before the arrow.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> choices;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) {
    choices.push_back(word.substr(0, word.find("->")));
  }
  return choices;
}

/// Collects the lines for completions that begin with the typed word.
class Lines {
 public:
  explicit Lines(std::string typed) : typed_(std::move(typed)) {}

  void add(const std::string& word, const std::string& what = {}) {
    if (word.starts_with(typed_)) text_ += what.empty() ? word + '\n' : word + '\t' + what + '\n';
  }
  /// Adds the files of the folder in the typed word; folders end with a slash.
  void add_files() {
    namespace fs = std::filesystem;
    const std::string folder = typed_.substr(0, typed_.rfind('/') + 1);
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? "." : folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const bool below = entry->is_directory(error);
      add(folder + entry->path().filename().string() + (below ? "/" : ""));
    }
  }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::string typed_;
  std::string text_;
};

/// Adds keys such as `training.workers=`, except those of list items, which are not known.
void add_keys(Lines& lines) {
  for (const std::string& key : scenario_keys()) {
    if (key.find_first_of("[*") == std::string::npos) lines.add(key + '=');
  }
}

void add_scenarios(Lines& lines) {
  for (const Example& example : library_examples()) lines.add(example.name, example.question);
  lines.add_files();
}

}  // namespace

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

std::string completions(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  const auto below = [&] { return command->get_subcommands([](const CLI::App*) { return true; }); };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto commands = below();
    const auto found = std::ranges::find(commands, words[i], &CLI::App::get_name);
    if (found == commands.end()) break;
    command = *found;
  }
  const bool asks_scenario = command->get_option_no_throw(kScenarioWord) != nullptr;
  const std::string typed = words.empty() ? "" : words.back();
  const std::string before = words.size() < 2 ? "" : words[words.size() - 2];
  Lines lines(typed);
  if (before.starts_with('-')) {
    const CLI::Option* option = command->get_option_no_throw(before);
    if (option != nullptr && option->get_type_size_max() > 0) {
      for (const std::string& choice : choices_of(*option)) lines.add(choice);
      if (before == "--set" && asks_scenario) add_keys(lines);
      if (before == "--model" && command->get_name() == "new") {
        for (const std::string& model : scaffold_models()) lines.add(model);
      }
      return lines.text();
    }
  }
  for (const CLI::App* each : below()) lines.add(each->get_name(), each->get_description());
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_group().empty()) continue;  // hidden options are not proposed
    if (option->get_positional()) {
      for (const std::string& choice : choices_of(*option)) lines.add(choice);
    } else if (typed.starts_with('-')) {
      for (const std::string& name : option->get_snames()) {
        lines.add('-' + name, option->get_description());
      }
      for (const std::string& name : option->get_lnames()) {
        lines.add("--" + name, option->get_description());
      }
    }
  }
  if (asks_scenario && !typed.starts_with('-')) add_scenarios(lines);
  return lines.text();
}

}  // namespace foretrain
