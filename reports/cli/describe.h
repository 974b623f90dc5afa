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

/// All text is laid out for the terminal behind standard output from now on, help of `app`, of the
/// subcommands that are added to it later included.
void fit_terminal(CLI::App& app);

/// Help of every command that `app` has now ends with examples.
void add_examples(CLI::App& app);

/// What a command line that was parsed in vain has that is no option, with the nearest that there
/// is; empty where all of them are.
std::string unknown_option(const CLI::App& app);

/// @throws InputError where the words of a command line begin with what is no command, or name
/// none: it proposes one, and lists all
void refuse_unknown_command(const CLI::App& app, std::span<const char* const> words);

/// One or two command lines of `command`, such as `data verify`, each with what it does; none where
/// there is no such command.
struct HelpExample {
  std::string line;
  std::string what;
};
std::vector<HelpExample> help_examples(std::string_view command);

/// As help shows them, below the options.
std::string help_examples_text(std::string_view command);

/// A script for bash, zsh or fish that asks the program itself: `foretrain describe words --
/// WORD...`.
std::string completion_script(const std::string& shell);

/// What the last of `words`, which stand behind `foretrain`, can be completed to, a line each, with
/// a tab before what it is: commands, options, values of which there are few, the keys of --set;
/// where a scenario is asked for, the library's and the files of the folder. Nothing where any file
/// may be meant.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

/// In the man macros of roff: section 1, the help of every command. No date, so that the same
/// source gives the same page.
std::string man_page(const CLI::App& app, std::string_view version);

/// Section 5: every key of a scenario, below the paragraphs `words`.
std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version);

}  // namespace foretrain
