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

/// Help of every command that `app` has now ends with examples (help_examples.h).
void add_examples(CLI::App& app);

/// @throws InputError where the words of a command line begin with what is no command: it proposes
/// one, and lists all
void refuse_unknown_command(const CLI::App& app, std::span<const char* const> words);

/// Prints the man page, or completion for a shell, of the program whose command line was read: made
/// of what its help is made of, so neither can be out of date. Or the hardware that the library
/// has.
/// @throws InputError as library_hosts does
int describe(const Arguments& arguments);

}  // namespace foretrain
