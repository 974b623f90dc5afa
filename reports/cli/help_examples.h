// What a command is called like, for its help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// One or two command lines of `command`, such as `data draw`, each with what it does; none where
/// there is no such command.
struct HelpExample {
  std::string line;
  std::string what;
};
std::vector<HelpExample> help_examples(std::string_view command);

/// As help shows them, below the options.
std::string help_examples_text(std::string_view command);

}  // namespace foretrain
