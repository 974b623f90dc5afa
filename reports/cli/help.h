// What the program says of its own command line.
#pragma once

#include "reports/cli/arguments.h"

#include <span>

namespace CLI {
class App;
}

namespace foretrain {

/// All text is laid out for the terminal behind standard output from now on, help of `app`, of the
/// subcommands that are added to it later included.
void fit_terminal(CLI::App& app);

/// Help of every command that `app` has now ends with examples (describe.h).
void add_examples(CLI::App& app);

/// What a command line that was parsed in vain has that is no option, with the nearest that there
/// is; empty where all of them are.
std::string unknown_option(const CLI::App& app);

/// @throws InputError where the words of a command line begin with what is no command, or name
/// none: it proposes one, and lists all
void refuse_unknown_command(const CLI::App& app, std::span<const char* const> words);

/// Prints what the command line or the library is described by: the man page (made of help, so it
/// cannot be out of date), completion for a shell, the keys of a scenario as Markdown or as a man
/// page, the hardware that there is.
/// @throws InputError as library_hosts, library_examples do
int describe(const Arguments& arguments);

}  // namespace foretrain
