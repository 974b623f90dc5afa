#include "reports/cli/command_line.h"

#include "reports/cli/commands.h"
#include "reports/cli/describe.h"
#include "scenarios/language/text_guard.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string_view>

namespace foretrain {
namespace {

/// Rejects an empty --out: a shell makes it of `--out "$FOLDER"` if FOLDER is not set.
void refuse_empty_out(CLI::App& app) {
  for (CLI::App* each : app.get_subcommands([](CLI::App*) { return true; })) {
    CLI::Option* out = each->get_option_no_throw("--out");
    if (out != nullptr) {
      out->check([](const std::string& path) {
        return path.empty() ? std::string("is empty; write a folder or file, or leave it out")
                            : std::string();
      });
    }
    refuse_empty_out(*each);
  }
}

/// Rejects control characters before any word is printed. Values of --set may have several lines.
void refuse_controls_in(std::span<char* const> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool set = word.starts_with("--set=") || words[i - 1] == std::string_view("--set");
    refuse_controls(word, fmt::format("word {} of the command line: ", i), set ? kLayout : "");
  }
}

/// The message of an error of CLI11, in the form of all other errors.
std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  const std::string unknown = unknown_option(*app);
  const bool extra =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !unknown.empty();
  return "error: " + (extra ? unknown + "\n" : CLI::FailureMessage::simple(app, error));
}

}  // namespace

int obey(std::span<const Command> commands, const std::string& version, int argc, char** argv) {
  CLI::App app{
      "foretrain: see before you train.\n"
      "Trains by distributed SGD over TCP, and forecasts such trainings by simulation."};
  app.set_version_flag("--version", "foretrain " + version);
  app.require_subcommand(1);
  app.failure_message(failure_text);
  fit_terminal(app);
  std::function<int()> chosen;
  for (const Command& command : commands) {
    CLI::App* added = app.add_subcommand(command.name, command.what);
    added->fallthrough(false);
    added->callback([&chosen, act = command.declare(*added)] { chosen = act; });
  }
  add_examples(app);
  refuse_empty_out(app);
  return exit_status([&]() -> int {
    try {
      refuse_controls_in({argv, argv + argc});
      refuse_unknown_command(app, {argv + 1, argv + argc});
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? kDone : kBadInput;
    }
    return chosen();
  });
}

}  // namespace foretrain
