// The scenarios that come with the program.
#pragma once

#include <string>
#include <vector>

namespace foretrain {

/// A scenario of the library (library.h).
struct Example {
  std::string name;      ///< as commands take it: `quickstart`, `studies/slow_worker`
  std::string question;  ///< what it is meant to answer; empty: it does not say
};

/// All that the library has, those of its top folder first, then folder by folder. Machine files,
/// hosts of hardware/ are none. @throws InputError where there is no library, a file is no YAML
std::vector<Example> library_examples();

/// What is wrong with `path`, of which there is neither a file nor a scenario of the library; with
/// the name that was probably meant.
std::string no_such_scenario(const std::string& path);

}  // namespace foretrain
