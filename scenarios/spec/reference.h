// The reference of all keys, for people, for editors.
#pragma once

#include "scenarios/language/key_text.h"

#include <string>
#include <vector>

namespace foretrain {

/// Every key, parents before children, from the description that the reader uses.
std::vector<KeyText> scenario_reference();

/// How to write quantities, sweeps, `--set`: one paragraph per text.
std::vector<std::string> reference_words();

/// The reference as Markdown: the content of scenarios/REFERENCE.md.
std::string reference_markdown();

/// JSON Schema (2020-12) of a scenario file: the content of scenarios/schema.json.
std::string scenario_schema();

/// Every key path of the file: `training.workers`, `cluster.hosts[].nic`.
std::vector<std::string> scenario_keys();
std::vector<std::string> machine_keys();

}  // namespace foretrain
