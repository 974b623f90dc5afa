#include "reports/cli/command_line.h"

#include "reports/cli/commands.h"
#include "reports/cli/failure.h"
#include "reports/cli/help.h"

#include <CLI/CLI.hpp>

namespace foretrain {

int obey(std::span<const Command> commands, const std::string& version, int argc, char** argv) {
  CLI::App app{
      "foretrain: see before you train.\nTrains by distributed SGD over TCP, forecasts the same "
      "in virtual time."};
  app.set_version_flag("--version", "foretrain " + version);
  app.require_subcommand(1);
  fit_terminal(app);
  Arguments arguments;
  const Command* chosen = nullptr;
  for (const Command& command : commands) {
    CLI::App* added = app.add_subcommand(command.name, command.what);
    added->fallthrough(false);
    added->callback([&chosen, &command] { chosen = &command; });
    command.options(*added, arguments);
  }
  add_examples(app);
  return exit_status([&]() -> int {
    try {
      refuse_unknown_command(app, {argv + 1, argv + argc});
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? kDone : kBadInput;
    }
    return chosen->act(arguments);
  });
}

}  // namespace foretrain
