// Scenario files are read into cases, with the way back.
#pragma once

#include "scenarios/language/input_error.h"
#include "scenarios/spec/scenario.h"

#include <string>
#include <vector>

namespace foretrain {

/// Reads and checks the scenario file `path`, which may be a name of the library (library.h).
/// `overrides` (`training.workers=3`, as --set takes them; later ones win) replace its keys. Paths
/// in the file that are relative to its folder are completed (relative_paths.h). If an override
/// fixes a key that the sweep varies, settings that a case then does not use are dropped, and equal
/// cases become one.
/// @throws InputError
std::vector<Case> read_scenario(const std::string& path, const std::vector<std::string>& overrides);

/// As read_scenario, from text; `source` replaces the file name in messages.
std::vector<Case> parse_scenario(const std::string& text, const std::string& source,
                                 const std::vector<std::string>& overrides = {});

/// The resolved scenario as YAML with every default. Keys that its strategy and format do not use
/// are left out. parse_scenario reads it back to an equal value.
std::string to_yaml(const Scenario& scenario);

}  // namespace foretrain
