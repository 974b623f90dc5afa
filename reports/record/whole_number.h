// Checked integers in JSON from outside.
#pragma once

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>

namespace foretrain {

/// An integer of 64 bits. Others are rejected, since converting 1e300, say, would be undefined.
/// @throws BadValue
template <class Json>
std::int64_t whole(const Json& number, std::string_view name) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = !number.is_number_unsigned() || number.template get<std::uint64_t>() <= kMost;
  if (number.is_number_integer() && fits) return number.template get<std::int64_t>();
  throw BadValue(fmt::format("{}: {} is not a whole number", name,
                             number.is_structured() ? number.type_name() : number.dump()));
}

/// @throws BadValue; Json::exception if the key is missing
template <class Json>
std::int64_t whole_at(const Json& json, const char* key) {
  return whole(json.at(key), key);
}

}  // namespace foretrain
