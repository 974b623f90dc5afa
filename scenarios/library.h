// Where the scenarios are that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The folder of the scenario library, the first of these that is there: what the environment
/// variable FORETRAIN_LIBRARY names, share/foretrain/scenarios beside the folder of the program (as
/// `cmake --install` puts it), the folder of the sources that the program was built from.
/// @throws InputError where none is there, or FORETRAIN_LIBRARY names none
std::filesystem::path library_folder();

/// `path` where such a file is there; else, where it begins with `scenarios/`, that file of the
/// library, if it has it; else `path`, for whoever reads it to say what is wrong.
std::string in_library(const std::string& path);

/// What the library has in `folder`: its YAML files without their endings, in order.
/// @throws InputError where there is no library
std::vector<std::string> library_names(std::string_view folder);

}  // namespace foretrain
