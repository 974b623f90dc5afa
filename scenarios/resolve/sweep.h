// What varies over the cases of a scenario, with what the command line sets.
#pragma once

#include "scenarios/language/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// `cluster.hosts[0].nic`, also written `cluster.hosts.0.nic`: names, and indices of list items.
using KeyPath = std::vector<std::string>;

/// @throws BadValue where `text` is no path
KeyPath parse_key_path(std::string_view text);
/// The one way to write it: indices in brackets.
std::string to_text(const KeyPath& path);

/// Sets what `path` leads to in the tree `root`; mappings on the way are made where they are
/// absent, list items are not. `mark`: where the path is written. @throws InputError
void lay_over(Value& root, const KeyPath& path, const TextMark& mark, Value value);

/// Takes out what `path` leads to; false where there was nothing.
bool remove_from(Value& root, const KeyPath& path);

/// A key that a case sets, and to what.
struct Choice {
  KeyPath path;
  TextMark mark;  ///< of the key
  Value value;
};

/// The cases of a `sweep:` in order: of a mapping `key: [values]` all combinations, the last key
/// fastest; of a list of mappings `key: value` each. An item of the list may have a `grid:`, such a
/// mapping of lists: it stands for all its combinations, each with the other keys of the item.
///
///     sweep:
///       - grid: {training.strategy: [single], training.batch_size: [24, 48]}
///       - {seed: 2, grid: {training.strategy: [sync, async], training.workers: [1, 2, 3]}}
///       - {training.strategy: ssp, training.staleness: 4}
///
/// At most 10,000 cases. @throws InputError
std::vector<std::vector<Choice>> expand_sweep(const Value& sweep);

/// Lays `key=value`, as --set takes it, over the file's tree. A null value removes the key. A key
/// that the sweep varies is fixed: its entry leaves the sweep, and cases that differed in it alone
/// become one. `sweep.KEY=[values]` varies a key.
/// @returns whether it fixed a key that the sweep varies: cases may be equal now, since what such a
/// value makes unused does not tell them apart any more (parse_scenario). @throws InputError
bool apply_override(Value& root, const std::string& assignment);

}  // namespace foretrain
