// The version key of our files.
#pragma once

#include "scenarios/language/value.h"

#include <string_view>

namespace foretrain {

/// Checks that the file's mapping has `key: 1`. `other`: the key of the other kind of file, with
/// the `advice` for such a file. @throws InputError
void check_version(const Value& root, std::string_view key, std::string_view other,
                   std::string_view advice);

}  // namespace foretrain
