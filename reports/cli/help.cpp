#include "reports/cli/help.h"

#include "models/base/check.h"
#include "reports/cli/completion.h"
#include "reports/cli/man_page.h"
#include "reports/record/text.h"
#include "reports/show/terminal/hardware_table.h"
#include "scenarios/examples.h"
#include "scenarios/hardware.h"
#include "scenarios/reference.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace foretrain {
namespace {

/// CLI11's own help, its long lines broken.
class Narrow : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return hang(CLI::Formatter::make_help(app, std::move(name), mode), get_column_width());
  }
};

/// Wherever a scenario is asked for, the library's go by their names.
void add_names(std::vector<DescribedCommand>& commands) {
  const std::vector<Example> examples = library_examples();
  std::vector<std::string> names;
  names.reserve(examples.size());
  for (const Example& example : examples) names.push_back(example.name);
  for (DescribedCommand& command : commands) {
    for (DescribedOption& positional : command.positionals) {
      if (positional.names.front() == kScenarioWord) positional.library = names;
    }
  }
}

/// For one of the shells.
std::string completion_for(const std::string& shell, std::vector<DescribedCommand> commands) {
  add_names(commands);
  if (shell == "bash") return bash_completion(commands);
  return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

std::string description_of(const Arguments& arguments) {
  const std::string& form = arguments.form;
  if (form == "hardware") return hardware_table(library_hosts());
  if (form == "keys") return reference_markdown();
  if (form == "man-scenario") {
    return scenario_man_page(scenario_reference(), reference_words(), FORETRAIN_VERSION);
  }
  const auto commands = describe_commands(*arguments.program);
  return form == "man" ? man_page(commands, FORETRAIN_VERSION) : completion_for(form, commands);
}

}  // namespace

void fit_help(CLI::App& app) { app.formatter(std::make_shared<Narrow>()); }

int describe(const Arguments& arguments) {
  FT_CHECK(arguments.program != nullptr);
  fmt::print("{}", description_of(arguments));
  return kDone;
}

}  // namespace foretrain
