// Dotted paths to the keys of a scenario.
#pragma once

#include "scenarios/yaml/value.h"

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

}  // namespace foretrain
