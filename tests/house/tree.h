// The files of this checkout for the house tests.
#pragma once

#include "tests/house/text.h"

#include <string>
#include <vector>

namespace foretrain::house {

/// Every file of the checkout that git tracks or does not ignore, relative to the root. Without
/// git: every file outside build and out.
std::vector<std::string> paths_of_tree();

/// The files that end with one of `endings`, with their text.
std::vector<SourceFile> files_of_tree(const std::vector<std::string>& endings);

}  // namespace foretrain::house
