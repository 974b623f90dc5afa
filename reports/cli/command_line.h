// From the words of a command line to what they ask for.
#pragma once

#include "scenarios/library/scaffold.h"

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
}

namespace foretrain {

/// A subcommand.
struct Command {
  const char* name;
  const char* what;  ///< as help says it
  /// Declares its words; what is returned does what they ask for, and returns the exit status.
  std::function<std::function<int()>(CLI::App&)> declare;
};

/// `words` says where the values of a command's words go, from there `act` has them.
template <class Arguments>
Command command(const char* name, const char* what, void (*words)(CLI::App&, Arguments&),
                int (*act)(const Arguments&)) {
  return {name, what, [=](CLI::App& app) {
            auto arguments = std::make_shared<Arguments>();
            words(app, *arguments);
            return [=] { return act(*arguments); };
          }};
}

// Those that need neither exec nor sim.
Command new_command();
Command examples_command();
Command evaluate_command();
Command check_command();
Command report_command();
Command data_command();
Command describe_command();
/// Of `new`: asks `in` for each answer that `scaffold` misses, again where it means nothing; an
/// empty line takes what is proposed. `say`: what is told, as it is. @throws InputError where `in`
/// ends
Scaffold ask_scaffold(Scaffold scaffold, std::istream& in,
                      const std::function<void(const std::string&)>& say);

/// Does what `argv` asks for, says what is wrong with it. Returns the exit status of the process.
int obey(std::span<const Command> commands, const std::string& version, int argc, char** argv);

}  // namespace foretrain
