#include "reports/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace foretrain {
namespace {

std::vector<std::string> all_names(const DescribedCommand& command) {
  std::vector<std::string> names;
  for (const DescribedOption& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// A command of one word; `data draw` is none.
bool top(const DescribedCommand& command) { return command.path.find(' ') == std::string::npos; }

/// The library's names, the same wherever they are proposed; empty: nowhere.
std::vector<std::string> library_of(const std::vector<DescribedCommand>& commands) {
  for (const DescribedCommand& command : commands) {
    for (const DescribedOption& positional : command.positionals) {
      if (!positional.library.empty()) return positional.library;
    }
  }
  return {};
}

/// The keys of scenarios, likewise.
std::vector<std::string> keys_of(const std::vector<DescribedCommand>& commands) {
  for (const DescribedCommand& command : commands) {
    for (const DescribedOption& option : command.options) {
      if (!option.keys.empty()) return option.keys;
    }
  }
  return {};
}

bool asks_library(const DescribedCommand& command) {
  return std::ranges::any_of(command.positionals,
                             [](const DescribedOption& each) { return !each.library.empty(); });
}

/// Within '...' of zsh: a quote ends it, brackets and colons separate.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
      safe += c;
    }
  }
  return safe;
}

std::string fish_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_value(const DescribedOption& option) {
  if (option.value.empty()) return {};
  if (!option.library.empty()) return fmt::format(":{}:_foretrain_scenarios", option.value);
  if (!option.keys.empty()) return fmt::format(":{}:_foretrain_keys", option.value);
  if (option.choices.empty()) return fmt::format(":{}:_files", option.value);
  return fmt::format(":{}:({})", option.value, fmt::join(option.choices, " "));
}

}  // namespace

std::string bash_completion(const std::vector<DescribedCommand>& commands) {
  std::string options;
  std::string values;
  std::string paths;
  for (const DescribedCommand& command : commands) {
    std::vector<std::string> first = command.subcommands;
    for (const DescribedOption& positional : command.positionals) {
      first.insert(first.end(), positional.choices.begin(), positional.choices.end());
    }
    options += fmt::format("    '{}') options='{}'; words='{}'{} ;;\n", command.path,
                           fmt::join(all_names(command), " "), fmt::join(first, " "),
                           asks_library(command) ? "; library=1" : "");
    if (!top(command))
      paths += fmt::format("    '{}') command='{}' ;;\n", command.path, command.path);
    for (const DescribedOption& option : command.options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names) {
        values +=
            fmt::format("    '{} {}') words={}; value=1 ;;\n", command.path, name,
                        option.keys.empty() ? fmt::format("'{}'", fmt::join(option.choices, " "))
                                            : "$keys; part=1");
      }
    }
  }
  return "# Completion of foretrain for bash, as `foretrain describe bash` prints it.\n"
         "_foretrain() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command='' options='' words='' value='' library='' part=''\n"
         "  local keys='" +
         fmt::format("{}", fmt::join(keys_of(commands), " ")) +
         "'\n"
         "  if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi\n"
         "  if ((COMP_CWORD > 2)); then case \"$command ${COMP_WORDS[2]}\" in\n" +
         paths +
         "  esac; fi\n"
         "  case \"$command\" in\n" +
         options +
         "  esac\n"
         "  case \"$command $previous\" in\n" +
         values +
         "  esac\n"
         "  if [[ -z $value && $word == -* ]]; then words=$options; fi\n"
         "  # Without a word that fits, bash goes on to file names.\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [[ -n $part ]]; then compopt -o nospace 2>/dev/null; fi\n"
         "  if [[ -z $library || -n $value || $word == -* ]]; then return; fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W '" +
         fmt::format("{}", fmt::join(library_of(commands), " ")) +
         "' -- \"$word\"; compgen -f -- \"$word\")\n"
         "  compopt -o filenames 2>/dev/null\n"
         "}\n"
         "complete -o default -F _foretrain foretrain\n";
}

std::string zsh_completion(const std::vector<DescribedCommand>& commands) {
  std::string cases;
  std::string list;
  std::vector<std::string> above;  // those that have commands below them
  for (const DescribedCommand& command : commands) {
    if (command.path.empty()) continue;
    if (top(command)) {
      list += fmt::format("    '{}:{}'\n", command.path, zsh_text(command.what));
    }
    if (!command.subcommands.empty()) above.push_back(command.path);
    std::string arguments;
    for (const DescribedOption& option : command.options) {
      for (const std::string& name : option.names) {
        arguments +=
            fmt::format(" \\\n      '*{}[{}]{}'", name, zsh_text(option.what), zsh_value(option));
      }
    }
    for (const DescribedOption& positional : command.positionals) {
      arguments += fmt::format(" \\\n      '*{}'", zsh_value(positional));
    }
    if (!command.subcommands.empty()) {
      arguments += fmt::format(" \\\n      '1:command:({})'", fmt::join(command.subcommands, " "));
    }
    cases += fmt::format("    '{}') _arguments{} ;;\n", command.path, arguments);
  }
  return "#compdef foretrain\n"
         "# Completion of foretrain for zsh, as `foretrain describe zsh` prints it.\n"
         "_foretrain_scenarios() {\n"
         "  local -a names=(" +
         fmt::format("{}", fmt::join(library_of(commands), " ")) +
         ")\n"
         "  _alternative 'library:scenario of the library:compadd -a names' 'files:file:_files'\n"
         "}\n"
         "_foretrain_keys() {\n"
         "  local -a names=(" +
         fmt::format("{}", fmt::join(keys_of(commands), " ")) +
         ")\n"
         "  compadd -S '' -a names\n"
         "}\n"
         "_foretrain() {\n"
         "  local -a commands=(\n" +
         list +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    _arguments '--help[print help]' '--version[print the version]'\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words; ((CURRENT--))\n"
         "  if [[ $command == (" +
         fmt::format("{}", fmt::join(above, "|")) +
         ") ]] && ((CURRENT > 2)); then\n"
         "    command=\"$command $words[2]\"\n"
         "    shift words; ((CURRENT--))\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_foretrain \"$@\"\n";
}

std::string fish_completion(const std::vector<DescribedCommand>& commands) {
  std::string text =
      "# Completion of foretrain for fish, as `foretrain describe fish` prints it.\n";
  for (const DescribedCommand& command : commands) {
    std::string when = "__fish_use_subcommand";
    const std::string last = command.path.substr(command.path.rfind(' ') + 1);
    if (!top(command)) {
      when = fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                         command.path.substr(0, command.path.find(' ')), last);
    } else if (!command.path.empty()) {
      when = "__fish_seen_subcommand_from " + command.path;
      text += fmt::format("complete -c foretrain -f -n __fish_use_subcommand -a {} -d '{}'\n",
                          command.path, fish_text(command.what));
      for (const std::string& below : command.subcommands) {
        text += fmt::format("complete -c foretrain -f -n '{}' -a {}\n", when, below);
      }
    }
    if (asks_library(command)) {
      text += fmt::format("complete -c foretrain -n '{}' -a '{}'\n", when,
                          fmt::join(library_of(commands), " "));
    }
    for (const DescribedOption& positional : command.positionals) {
      if (positional.choices.empty()) continue;
      text += fmt::format("complete -c foretrain -f -n '{}' -a '{}'\n", when,
                          fmt::join(positional.choices, " "));
    }
    for (const DescribedOption& option : command.options) {
      text += fmt::format("complete -c foretrain -n '{}'", when);
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += " -r";
      if (!option.choices.empty()) {
        text += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
      }
      if (!option.keys.empty()) {
        text += fmt::format(" -f -a '{}'", fmt::join(option.keys, " "));
      }
      text += fmt::format(" -d '{}'\n", fish_text(option.what));
    }
  }
  return text;
}

}  // namespace foretrain
