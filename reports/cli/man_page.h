// The man pages of the program, of its scenarios.
#pragma once

#include "scenarios/reference.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace foretrain {

/// In the man macros of roff: section 1, the help of every command. No date, so that the same
/// source gives the same page.
std::string man_page(const CLI::App& app, std::string_view version);

/// Section 5: every key of a scenario, below the paragraphs `words`.
std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version);

}  // namespace foretrain
