#include "reports/cli/command_tree.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace foretrain {
namespace {

/// `TEXT:{all,summary}`, `table|dot`: the choices; nothing where there are none. Of `near->0`
/// people write what stands in front.
std::vector<std::string> choices_of(std::string type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  char between = ',';
  if (open != std::string::npos && close != std::string::npos) {
    type = type.substr(open + 1, close - open - 1);
  } else if (type.find('|') != std::string::npos && CLI::detail::to_lower(type) == type) {
    between = '|';
  } else {
    return {};
  }
  std::vector<std::string> choices;
  std::istringstream words(type);
  for (std::string word; std::getline(words, word, between);) {
    choices.push_back(word.substr(0, word.find("->")));
  }
  return choices;
}

DescribedOption describe(const CLI::Option& option) {
  DescribedOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (option.get_positional()) described.names = {option.get_name(true)};
  const std::string type = option.get_type_name();
  if (option.get_type_size_max() > 0) {
    described.value = type.substr(0, type.find(':'));
    described.choices = choices_of(type);
  }
  described.what = option.get_description();
  described.required = option.get_required();
  return described;
}

void walk(const CLI::App& app, const std::string& path, std::vector<DescribedCommand>& commands) {
  DescribedCommand described;
  described.path = path;
  described.what = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // help does not name it either
    auto& list = option->get_positional() ? described.positionals : described.options;
    list.push_back(describe(*option));
  }
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : below) described.subcommands.push_back(each->get_name());
  commands.push_back(described);
  for (const CLI::App* each : below) {
    walk(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), commands);
  }
}

}  // namespace

std::vector<DescribedCommand> describe_commands(const CLI::App& app) {
  std::vector<DescribedCommand> commands;
  walk(app, "", commands);
  return commands;
}

}  // namespace foretrain
