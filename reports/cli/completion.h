// Completion of the command line by three shells.
#pragma once

#include "reports/cli/command_tree.h"

#include <string>
#include <vector>

namespace foretrain {

// Scripts that the shells read from where packages put them. Commands, their options, values of
// which there are few, the library's scenarios where one is asked for, keys for --set, file names
// where a value may be one.

std::string bash_completion(const std::vector<DescribedCommand>& commands);
std::string zsh_completion(const std::vector<DescribedCommand>& commands);
std::string fish_completion(const std::vector<DescribedCommand>& commands);

}  // namespace foretrain
