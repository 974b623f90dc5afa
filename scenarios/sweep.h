// What varies over the cases of a scenario, with what the command line sets.
#pragma once

#include "scenarios/key_path.h"
#include "scenarios/yaml/value.h"

#include <string>
#include <vector>

namespace foretrain {

/// A key that a case sets, and to what.
struct Choice {
  KeyPath path;
  Mark mark;  ///< of the key
  Value value;
};

/// The cases of a `sweep:` in order: of a mapping `key: [values]` all combinations, the last key
/// fastest; of a list of mappings `key: value` each. At most 10,000. @throws InputError
std::vector<std::vector<Choice>> expand_sweep(const Value& sweep);

/// Lays `key=value`, as --set takes it, over the file's tree. A null value removes the key. A key
/// that the sweep varies is fixed: its entry leaves the sweep. `sweep.KEY=[values]` varies a key.
/// @throws InputError
void apply_override(Value& root, const std::string& assignment);

}  // namespace foretrain
