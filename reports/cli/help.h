// What the program says of its own command line.
#pragma once

#include "reports/cli/arguments.h"

namespace CLI {
class App;
}

namespace foretrain {

/// Help of `app`, of the subcommands that are added to it later, fits a terminal.
void fit_help(CLI::App& app);

/// Prints what the command line or the library is described by: the man page, completion for a
/// shell (made of what help is made of, so neither can be out of date), the keys of a scenario as
/// Markdown or as a man page, the hardware that there is.
/// @throws InputError as library_hosts, library_examples do
int describe(const Arguments& arguments);

}  // namespace foretrain
