// Machine files from text, to text.
#pragma once

#include "scenarios/spec/machine.h"

#include <string>

namespace foretrain {

/// `path` may be a name of the library (library.h). @throws InputError
Machine read_machine(const std::string& path);
Machine parse_machine(const std::string& text, const std::string& source);
std::string to_yaml(const Machine& machine);

}  // namespace foretrain
