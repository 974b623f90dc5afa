// An object of a record's JSON, read key by key.
#pragma once

#include "scenarios/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace foretrain {

/// A value in a message. What holds others is only named: it may be long.
inline std::string shown_in_message(const nlohmann::ordered_json& value) {
  if (value.is_array()) return "an array";
  return value.is_object() ? "an object" : value.dump();
}

/// Every error names the file, then the way to the key; what is wrong with a value is told by it.
class JsonObject {
 public:
  JsonObject(const nlohmann::ordered_json& json, std::string where)
      : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{} {}; the record is damaged", where_, what));
  }

  [[nodiscard]] const nlohmann::ordered_json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no `{}`", key));
    return *found;
  }

  [[nodiscard]] std::string path(const char* key) const {
    return fmt::format("{} {}:", where_, key);
  }
  [[nodiscard]] JsonObject object(const char* key) const { return {at(key), path(key)}; }

  [[nodiscard]] std::int64_t integer(const char* key) const {
    const nlohmann::ordered_json& value = at(key);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= kMost;
    if (!value.is_number_integer() || !fits) {
      fail(fmt::format("{}: {} is not a whole number of 64 bits", key, shown_in_message(value)));
    }
    return value.get<std::int64_t>();
  }

  [[nodiscard]] const nlohmann::ordered_json& array(const char* key) const {
    if (!at(key).is_array()) fail(fmt::format("{}: is not an array", key));
    return at(key);
  }

  /// null is `unknown`.
  [[nodiscard]] std::int64_t integer_or(const char* key, std::int64_t unknown) const {
    return at(key).is_null() ? unknown : integer(key);
  }

  /// null is NaN.
  [[nodiscard]] double number(const char* key) const {
    const nlohmann::ordered_json& value = at(key);
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number())
      fail(fmt::format("{}: {} is not a number", key, shown_in_message(value)));
    return value.get<double>();
  }

  /// null is empty.
  [[nodiscard]] std::string text(const char* key) const {
    const nlohmann::ordered_json& value = at(key);
    if (value.is_null()) return {};
    if (!value.is_string()) fail(fmt::format("{}: {} is not a text", key, shown_in_message(value)));
    return value.get<std::string>();
  }

  /// One of the values of an enumeration, by its name.
  template <class Enum, std::size_t N>
  [[nodiscard]] Enum one_of(const char* key, const std::array<Enum, N>& all) const {
    const std::string name = text(key);
    const auto found = std::ranges::find(all, name, [](Enum e) { return name_of(e); });
    if (found == all.end()) fail(fmt::format("{}: '{}' is not known", key, name));
    return *found;
  }

 private:
  const nlohmann::ordered_json& json_;
  std::string where_;
};

}  // namespace foretrain
