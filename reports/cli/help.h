// What the program says of its own command line.
#pragma once

#include "reports/cli/arguments.h"

namespace CLI {
class App;
}

namespace foretrain {

/// Help of `app`, of the subcommands that are added to it later, fits a terminal.
void fit_help(CLI::App& app);

/// Prints the man page, or completion for a shell, of the program whose command line was read: made
/// of what its help is made of, so neither can be out of date. Or the hardware that the library
/// has.
/// @throws InputError as library_hosts does
int describe(const Arguments& arguments);

}  // namespace foretrain
