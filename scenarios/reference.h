// The keys of our files, for people, for editors.
#pragma once

#include <string>
#include <vector>

namespace foretrain {

struct KeyText {
  std::string path;      ///< `training.workers`, `cluster.hosts[].nic`, as scenario_keys has it
  std::string value;     ///< what may stand there, in words
  std::string fallback;  ///< what counts where it is left out; empty: as `doc` says, or nothing
  std::string doc;       ///< what it is
  bool required = false;
};

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
