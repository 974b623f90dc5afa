// The command line as data, for those who describe it.
#pragma once

#include <string>
#include <vector>

// CLI11 takes long to compile, so only sources include it.
namespace CLI {
class App;
}

namespace foretrain {

struct DescribedOption {
  std::vector<std::string> names;      ///< `--set`, `-h`; of a positional its one name
  std::string value;                   ///< what follows it: `N`, `TEXT`; empty: nothing does
  std::vector<std::string> choices;    ///< the values that there are; empty: any
  std::vector<std::string> library{};  ///< values that shells propose beside files; for them alone
  std::vector<std::string> keys{};     ///< `training.workers=`: what values begin with; likewise
  std::string what;
  bool required = false;
};

struct DescribedCommand {
  std::string path;  ///< `data draw`; empty: the program itself
  std::string what;
  std::vector<DescribedOption> options;
  std::vector<DescribedOption> positionals;
  std::vector<std::string> subcommands;
};

/// The program first, then its commands in the order of help, each before its own.
std::vector<DescribedCommand> describe_commands(const CLI::App& app);

}  // namespace foretrain
