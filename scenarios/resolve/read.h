// From a scenario file to the cases that it describes, with the way back.
#pragma once

#include "scenarios/language/input_error.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <vector>

namespace foretrain {

/// Reads `path`, which may be a name of the library (library.h), with `overrides`
/// (`training.workers=3`, as --set takes them; later ones win) laid over it, and checks all of it.
/// A path inside that names something beside the file is completed (beside.h). Where one of them
/// fixes a key that the sweep varies, settings that a case does not use then are left out, and
/// equal cases are one.
/// @throws InputError
std::vector<Case> read_scenario(const std::string& path, const std::vector<std::string>& overrides);

/// As read_scenario, from text; `source` stands for the file's name in messages.
std::vector<Case> parse_scenario(const std::string& text, const std::string& source,
                                 const std::vector<std::string>& overrides = {});

/// The resolved scenario as YAML, every default included (keys that its strategy and format do not
/// use are left out); parse_scenario reads it back to an equal value.
std::string to_yaml(const Scenario& scenario);

}  // namespace foretrain
