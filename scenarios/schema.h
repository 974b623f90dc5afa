// What may stand in our files, for editors.
#pragma once

#include <string>
#include <vector>

namespace foretrain {

/// JSON Schema (2020-12) of a scenario file: the content of scenarios/schema.json.
std::string scenario_schema();

/// Every key path of the file: `training.workers`, `cluster.hosts[].nic`.
std::vector<std::string> scenario_keys();
std::vector<std::string> machine_keys();

}  // namespace foretrain
