// Where the scenarios are that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// The folder of the scenario library, the first of these that is there: what the environment
/// variable FORETRAIN_LIBRARY names, share/foretrain/scenarios of the prefix of the program (as
/// `cmake --install` puts it), the folder of the sources that the program was built from.
/// @throws InputError where none is there, or FORETRAIN_LIBRARY names none
std::filesystem::path library_folder();

/// The file that `path` means, the first of these that is there: the file of that path; where it
/// begins with `scenarios/`, that file of the library; where it is a name, `quickstart` or
/// `studies/slow_worker`, the library's file of that name with the ending .yaml. Else `path`, for
/// whoever reads it to say what is wrong.
/// @throws InputError where FORETRAIN_LIBRARY names no folder; of `scenarios/` as library_folder
std::string in_library(const std::string& path);

/// The names of all YAML files that the library has, in order; none where there is no library.
/// @throws InputError where FORETRAIN_LIBRARY names no folder
std::vector<std::string> library_files();

}  // namespace foretrain
