// The keys of our files, for people, for editors.
#pragma once

#include "scenarios/language/key_text.h"

#include <string>
#include <vector>

namespace foretrain {

/// Every key, each before those below it, from the description that the reader uses (describe/).
std::vector<KeyText> scenario_reference();

/// How quantities are written, what a sweep, `--set` do: a paragraph a text.
std::vector<std::string> reference_words();

/// All of that as Markdown: the content of scenarios/REFERENCE.md.
std::string reference_markdown();

/// JSON Schema (2020-12) of a scenario file: the content of scenarios/schema.json.
std::string scenario_schema();

/// Every key path of the file: `training.workers`, `cluster.hosts[].nic`.
std::vector<std::string> scenario_keys();
std::vector<std::string> machine_keys();

}  // namespace foretrain
