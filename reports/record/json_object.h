// Access to a JSON file that foretrain wrote, with errors that name the key.
#pragma once

#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

// Endings of errors about such a file.
inline constexpr std::string_view kDamagedRecord = "the record is damaged";
inline constexpr std::string_view kDamagedFile = "the file is damaged, or of another version";

/// Parses `text`, the content of the file `source`, for JsonObject; errors end with `verdict`.
/// @throws InputError with the line of the damage
nlohmann::ordered_json parse_json(std::string_view text, const std::string& source,
                                  std::string_view verdict = kDamagedRecord);

/// A value as shown in a message. Arrays and objects are only named, since they may be long.
inline std::string shown_in_message(const nlohmann::ordered_json& value) {
  if (value.is_array()) return "an array";
  return value.is_object() ? "an object" : value.dump();
}

/// An object of such a file. Every error names the file, the path to the key, and the wrong value.
/// The JSON must outlive it.
class JsonObject {
 public:
  /// `where`: the file with a colon; `verdict`: the end of errors.
  JsonObject(const nlohmann::ordered_json& json, std::string where,
             std::string_view verdict = kDamagedRecord)
      : json_(json), where_(std::move(where)), verdict_(verdict) {
    if (!json_.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{} {}; {}", where_, what, verdict_));
  }

  [[nodiscard]] const nlohmann::ordered_json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no `{}`", key));
    return *found;
  }
  /// Whether the key exists and is not null.
  [[nodiscard]] bool has(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
  }

  [[nodiscard]] std::string path(const char* key) const {
    return fmt::format("{} {}:", where_, key);
  }
  [[nodiscard]] JsonObject object(const char* key) const { return {at(key), path(key), verdict_}; }
  /// The items of an array of objects.
  [[nodiscard]] std::vector<JsonObject> objects(const char* key) const {
    const nlohmann::ordered_json& items = array(key);
    std::vector<JsonObject> all;
    all.reserve(items.size());
    for (const nlohmann::ordered_json& item : items) {
      all.emplace_back(item, fmt::format("{} {}[{}]:", where_, key, all.size()), verdict_);
    }
    return all;
  }
  /// All keys of the object.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> all;
    all.reserve(json_.size());
    for (const auto& item : json_.items()) all.push_back(item.key());
    return all;
  }

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

  /// Null gives nothing.
  [[nodiscard]] std::optional<std::int64_t> optional_integer(const char* key) const {
    return at(key).is_null() ? std::nullopt : std::optional(integer(key));
  }

  /// Null gives NaN.
  [[nodiscard]] double number(const char* key) const {
    const nlohmann::ordered_json& value = at(key);
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number())
      fail(fmt::format("{}: {} is not a number", key, shown_in_message(value)));
    return value.get<double>();
  }

  /// Empty if the key is missing or null.
  [[nodiscard]] std::optional<double> known_number(const char* key) const {
    return has(key) ? std::optional(number(key)) : std::nullopt;
  }

  /// A boolean.
  [[nodiscard]] bool flag(const char* key) const {
    if (!at(key).is_boolean()) fail(fmt::format("{}: is neither true nor false", key));
    return at(key).get<bool>();
  }

  /// Null gives an empty text.
  [[nodiscard]] std::string text(const char* key) const {
    const nlohmann::ordered_json& value = at(key);
    if (value.is_null()) return {};
    if (!value.is_string()) fail(fmt::format("{}: {} is not a text", key, shown_in_message(value)));
    return value.get<std::string>();
  }

  /// Empty if the key is missing or null.
  [[nodiscard]] std::string known_text(const char* key) const {
    return has(key) ? text(key) : std::string();
  }
  /// The items of an array of texts.
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    all.reserve(array(key).size());
    for (const nlohmann::ordered_json& item : array(key)) {
      if (!item.is_string()) fail(fmt::format("{}: {} is not a text", key, shown_in_message(item)));
      all.push_back(item.get<std::string>());
    }
    return all;
  }

  /// A value of an enumeration by its name.
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
  std::string_view verdict_;
};

}  // namespace foretrain
