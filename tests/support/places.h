// Where the program under test is, where its sources are.
//
// Only places.cpp is compiled with these paths, so that a compiler's cache serves every tree.
#pragma once

#include <string>

namespace foretrain {

const char* program_path();
std::string source_dir();

}  // namespace foretrain
