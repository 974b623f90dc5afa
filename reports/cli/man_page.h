// The man pages of the program, of its scenarios.
#pragma once

#include "reports/cli/command_tree.h"
#include "scenarios/reference.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// In the man macros of roff: section 1, every command with its options. No date, so that the same
/// source gives the same page.
std::string man_page(const std::vector<DescribedCommand>& commands, std::string_view version);

/// Section 5: every key of a scenario, below the paragraphs `words`.
std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version);

}  // namespace foretrain
