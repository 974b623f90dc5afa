// The key that says in which version of our language a file is written.
#pragma once

#include "scenarios/language/value.h"

#include <string_view>

namespace foretrain {

/// Sees to it that the file's mapping has `key: 1`. `other`: the key that a file of the other kind
/// begins with, and `advice` what to do with such a file. @throws InputError
void check_version(const Value& root, std::string_view key, std::string_view other,
                   std::string_view advice);

}  // namespace foretrain
