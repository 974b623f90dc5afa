// What the program says of its own command line.
#pragma once

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
}

namespace foretrain {

/// Help of `app`, of the subcommands that are added to it later, fits a terminal.
void fit_help(CLI::App& app);

}  // namespace foretrain
