// Sweeps, `--set` overrides of a scenario.
#pragma once

#include "scenarios/language/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A path such as `cluster.hosts[0].nic`, also written `cluster.hosts.0.nic`: names, list indices.
using KeyPath = std::vector<std::string>;

/// @throws BadValue if `text` is not a path
KeyPath parse_key_path(std::string_view text);
/// The canonical form, with indices in brackets.
std::string to_text(const KeyPath& path);

/// Sets the value at `path` in the tree `root`. Missing mappings on the way are created, missing
/// list items are not. `mark`: where the path is written. @throws InputError
void lay_over(Value& root, const KeyPath& path, const TextMark& mark, Value value);

/// Removes the value at `path`; false if there is none.
bool remove_from(Value& root, const KeyPath& path);

/// A key that a case sets, with its value.
struct Choice {
  KeyPath path;
  TextMark mark;  ///< of the key
  Value value;
};

/// The cases of a `sweep:` in order. A mapping `key: [values]` gives all combinations, the last key
/// varying fastest; a list of mappings `key: value` gives one case per item. A list item may have a
/// `grid:`, a mapping of lists: it gives all combinations of the grid, each with the other keys of
/// the item.
///
///     sweep:
///       - grid: {training.strategy: [single], training.batch_size: [24, 48]}
///       - {seed: 2, grid: {training.strategy: [sync, async], training.workers: [1, 2, 3]}}
///       - {training.strategy: ssp, training.staleness: 4}
///
/// At most 10,000 cases. @throws InputError
std::vector<std::vector<Choice>> expand_sweep(const Value& sweep);

/// Applies `key=value`, as --set takes it, to the file's tree. A null value removes the key. A key
/// that the sweep varies becomes fixed: its entry leaves the sweep, and cases that differ only in
/// it become one. `sweep.KEY=[values]` varies a key.
/// @returns whether it fixed a key of the sweep. Cases may then be equal, because a setting that
/// this value makes unused no longer distinguishes them (parse_scenario). @throws InputError
bool apply_override(Value& root, const std::string& assignment);

}  // namespace foretrain
