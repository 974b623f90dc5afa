// The files of this checkout, as the house tests read them.
#pragma once

#include "tests/house/text.h"

#include <string>
#include <vector>

namespace foretrain::house {

/// Every file of the checkout, tracked or new, but for what git ignores; relative to the root.
/// Without git: every file but those of build and out.
std::vector<std::string> paths_of_tree();

/// Those that end with one of `endings`, with their text.
std::vector<SourceFile> files_of_tree(const std::vector<std::string>& endings);

}  // namespace foretrain::house
