// From the words of a command line to what they ask for.
#pragma once

#include "reports/cli/arguments.h"

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace foretrain {

/// A subcommand: its name, what help says of it, its words, what it does.
struct Command {
  const char* name;
  const char* what;
  void (*options)(CLI::App& command, Arguments& arguments);
  int (*act)(const Arguments& arguments);
};

/// Does what `argv` asks for, says what is wrong with it. Returns the exit status of the process.
int obey(std::span<const Command> commands, const std::string& version, int argc, char** argv);

}  // namespace foretrain
