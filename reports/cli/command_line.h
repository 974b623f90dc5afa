// Parses the command line, then executes its command.
#pragma once

#include "scenarios/scaffold/scaffold.h"

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

struct AskedTraining;
struct Case;
class DataSets;
struct Limit;

/// A subcommand.
struct Command {
  const char* name;
  const char* what;  ///< its description in help
  /// Declares its options. The returned function executes the command and returns the exit status.
  std::function<std::function<int()>(CLI::App&)> declare;
};

/// `words` declares the options, which write their values to an Arguments; `act` receives it.
template <class Arguments>
Command command(const char* name, const char* what, void (*words)(CLI::App&, Arguments&),
                int (*act)(const Arguments&)) {
  return {name, what, [=](CLI::App& app) {
            auto arguments = std::make_shared<Arguments>();
            words(app, *arguments);
            return [=] { return act(*arguments); };
          }};
}

// The commands that need neither exec nor sim.
Command new_command();
Command examples_command();
Command evaluate_command();
Command check_command();
/// Finds what limits a case on the machines that are asked for, by simulation.
using LimitOf = std::function<Limit(const AskedTraining&, const Case&, DataSets&)>;
Command report_command(const LimitOf& limit);
Command data_command();
Command describe_command();
/// For `new`: reads from `in` each answer that `scaffold` lacks, and repeats the question if the
/// answer is invalid; an empty line accepts the proposal. `say` receives the text to print, line
/// feeds included. @throws InputError if `in` ends before the last answer
Scaffold ask_scaffold(Scaffold scaffold, std::istream& in,
                      const std::function<void(const std::string&)>& say);

/// Executes the command line `argv`, or reports its errors. Returns the exit status of the process.
int obey(std::span<const Command> commands, const std::string& version, int argc, char** argv);

}  // namespace foretrain
