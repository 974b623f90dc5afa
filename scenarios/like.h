// Items of a list that begin as something that the library has: `like: NAME`.
#pragma once

#include "scenarios/yaml/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What the library (library.h) has in `folder`: its YAML files without their endings, in order.
/// @throws InputError where there is no library
std::vector<std::string> library_names(std::string_view folder);

/// What the library has in `folder` that `item`, a mapping with the key `like`, begins as; its
/// marks name its own file. Its `name` is the one that was asked for; where the item has a `count`,
/// parted from the numbers that follow: dgx-1 -> dgx-1-0, dgx-1-1. `path`: of the item, for
/// messages.
/// @throws InputError where there is no such file, or it has no keys
Value load_like(std::string_view folder, const Value& item, const std::string& path);

/// Adds to the mapping `over` what `under` has and it has not; to mappings within them likewise.
void lay_under(Value& over, const Value& under);

}  // namespace foretrain
