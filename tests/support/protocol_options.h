// Options of strategies, looked up by key.
#pragma once

#include "models/base/check.h"
#include "models/protocol/registry.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain::testing {

/// The option `key` of some strategy: `staleness`, or `outer.momentum` in a section.
inline const Option& option_called(std::string_view key) {
  const auto& all = protocol_options();
  const auto found = std::ranges::find_if(all, [&](const Option* o) { return o->path() == key; });
  FT_CHECK(found != all.end());
  return **found;
}

inline void set_option(ProtocolOptions& options, std::string_view key, Option::Value value) {
  options.set(option_called(key), std::move(value));
}

}  // namespace foretrain::testing
