// The man page of the program.
#pragma once

#include "reports/cli/command_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// In the man macros of roff: section 1, every command with its options. No date, so that the same
/// source gives the same page.
std::string man_page(const std::vector<DescribedCommand>& commands, std::string_view version);

}  // namespace foretrain
