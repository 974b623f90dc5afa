// The paths of the program under test, of its sources.
//
// Only places.cpp is compiled with these paths, so that compiler caches work for every source tree.
#pragma once

#include <string>

namespace foretrain {

const char* program_path();
std::string source_dir();

}  // namespace foretrain
