// The help of each command, mistaken words, the command `describe`.

#include "reports/cli/command_line.h"
#include "reports/cli/commands.h"
#include "reports/cli/describe.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/show/terminal/width.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/library/library.h"
#include "scenarios/spec/reference.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// CLI11's help with its long lines wrapped.
class Narrow : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return hang(CLI::Formatter::make_help(app, std::move(name), mode), get_column_width());
  }
};

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string list_of(const std::vector<const CLI::App*>& commands) {
  std::size_t widest = 0;
  for (const CLI::App* each : commands) widest = std::max(widest, each->get_name().size());
  std::string text;
  for (const CLI::App* each : commands) {
    text += fmt::format("  {}  {}\n", left(each->get_name(), widest), each->get_description());
  }
  return hang(text, widest + 4);
}

[[noreturn]] void refuse_for_these(const std::string& why,
                                   const std::vector<const CLI::App*>& commands) {
  std::string text = why + "\n\nThere are:\n" + list_of(commands);
  text.pop_back();  // the caller adds the line feed
  throw InputError(text);
}

void add_examples_below(CLI::App& app, const std::string& path) {
  for (CLI::App* each : app.get_subcommands([](CLI::App*) { return true; })) {
    const std::string name = path.empty() ? each->get_name() : path + " " + each->get_name();
    each->footer(help_examples_text(name));
    add_examples_below(*each, name);
  }
}

struct DescribeArguments {
  std::string form;                   ///< what is printed
  std::vector<std::string> words;     ///< what a shell asks to complete
  const CLI::App* program = nullptr;  ///< whose command line was read
};

void describe_words(CLI::App& command, DescribeArguments& arguments) {
  arguments.program = command.get_parent();
  command.add_option("form", arguments.form, "what is printed")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"man", "man-scenario", "keys", "bash", "zsh",
                                                     "fish", "hardware", "networks", "words"}));
  command.add_option("words", arguments.words, "words to complete, given by the shell")->group("");
}

std::string description_of(const DescribeArguments& arguments) {
  const std::string& form = arguments.form;
  if (form == "hardware") return hardware_table(library_hosts());
  if (form == "networks") return network_table();
  if (form == "keys") return reference_markdown();
  if (form == "man-scenario") {
    return scenario_man_page(scenario_reference(), reference_words(), FORETRAIN_VERSION);
  }
  if (form == "man") return man_page(*arguments.program, FORETRAIN_VERSION);
  if (form == "words") return completions(*arguments.program, arguments.words);
  return completion_script(form);
}

int describe(const DescribeArguments& arguments) {
  print_result(description_of(arguments));
  return kDone;
}

}  // namespace

void add_examples(CLI::App& app) { add_examples_below(app, ""); }

std::string unknown_option(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string command = "foretrain";
  std::vector<std::string> rest = app.remaining();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
    const std::vector<std::string> more = at->remaining();
    rest.insert(rest.end(), more.begin(), more.end());
  }
  const auto found = std::ranges::find_if(
      rest, [](const std::string& word) { return word.starts_with("--") && word.size() > 2; });
  if (found == rest.end()) return {};
  std::vector<std::string> names;
  for (const CLI::Option* option : at->get_options()) {
    if (option->get_group().empty()) continue;  // hidden options are not proposed
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string word = found->substr(0, found->find('='));
  const std::string meant = nearest(word, names);
  return fmt::format("{} has no option {}; {}", command, word,
                     meant.empty() ? fmt::format("{} --help lists those there are", command)
                                   : fmt::format("did you mean {}?", meant));
}

void refuse_unknown_command(const CLI::App& app, std::span<const char* const> words) {
  const CLI::App* at = &app;
  for (const char* const given : words) {
    const std::string word = given;
    const std::vector<const CLI::App*> commands = commands_below(*at);
    if (commands.empty() || word.starts_with('-')) return;
    const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found != commands.end()) {
      at = *found;
      continue;
    }
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CLI::App* each : commands) names.push_back(each->get_name());
    const std::string meant = nearest(word, names);
    const std::string of = at == &app ? "" : " of " + at->get_name();
    std::string text = fmt::format("there is no command '{}'{}", word, of);
    if (!meant.empty()) text += fmt::format("; did you mean {}?", meant);
    refuse_for_these(text, commands);
  }
  const std::vector<const CLI::App*> commands = commands_below(*at);
  if (commands.empty()) return;
  refuse_for_these(at == &app ? "name a command" : "name a command of " + at->get_name(), commands);
}

void fit_terminal(CLI::App& app) {
  set_text_columns(width_of_terminal(STDOUT_FILENO));
  app.formatter(std::make_shared<Narrow>());
}

/// The man page is made of help, so it cannot be out of date.
Command describe_command() {
  return command("describe", "print man pages, completion, keys, hardware, networks",
                 describe_words, describe);
}

}  // namespace foretrain
