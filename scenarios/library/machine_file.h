// Machine files: reader, writer.
#pragma once

#include "scenarios/spec/machine.h"

#include <string>

namespace foretrain {

/// `path` may be a name from the library (library.h). @throws InputError
Machine read_machine(const std::string& path);
/// `source`: the name of the text in messages. @throws InputError
Machine parse_machine(const std::string& text, const std::string& source);
std::string to_yaml(const Machine& machine);

}  // namespace foretrain
