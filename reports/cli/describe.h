// The command line described by itself: help, completion, man pages.
#pragma once

#include "scenarios/spec/reference.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace foretrain {

/// From now on all text fits the width of the terminal on standard output, including help of `app`
/// and of subcommands that are added later.
void fit_terminal(CLI::App& app);

/// Appends examples to the help of every command that `app` has now.
void add_examples(CLI::App& app);

/// A message about the first unknown option of a command line that could not be parsed, with the
/// most similar known one; empty if all options are known.
std::string unknown_option(const CLI::App& app);

/// @throws InputError if the command line `words` names an unknown command or none; the message
/// proposes a similar one and lists all
void refuse_unknown_command(const CLI::App& app, std::span<const char* const> words);

/// A command line with a description.
struct HelpExample {
  std::string line;
  std::string what;
};
/// One or two examples of `command`, such as `data verify`; none if there is no such command.
std::vector<HelpExample> help_examples(std::string_view command);

/// The examples as help shows them, below the options.
std::string help_examples_text(std::string_view command);

/// A completion script for bash, zsh or fish. It calls the program: `foretrain describe words --
/// WORD...`.
std::string completion_script(const std::string& shell);

/// Completions of the last of `words`, which follow `foretrain`: a line each, with a tab before its
/// description. They are commands, options, choices of an option, keys of --set; for a scenario
/// argument names of the library and files of the folder. Empty if any file is possible.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

/// The man page of section 1, in roff's man macros: the help of every command. It has no date, so
/// that the same source gives the same page.
std::string man_page(const CLI::App& app, std::string_view version);

/// The man page of section 5: every key of a scenario, below the paragraphs `words`.
std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version);

}  // namespace foretrain
