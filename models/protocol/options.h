// The keys of a scenario that only some strategies read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foretrain {

/// A mapping below `training:` that holds options, such as `outer: {...}`.
struct OptionSection {
  std::string_view key;
  std::string_view doc;  ///< for editors; one line
};

/// A key of `training:` that some strategies have. The file of a strategy defines its own, and
/// lists them in its Protocol; reading, writing, the schema and the reference follow from that.
struct Option {
  using Value = std::variant<std::int64_t, double, std::string>;

  std::string_view key;
  std::string_view doc;                    ///< for editors; one line
  Value fallback;                          ///< where a scenario says nothing; its type
  double least = 0;                        ///< of a number
  double most = 1e6;                       ///< of a number
  std::vector<std::string> choices{};      ///< of a word
  std::string_view unused_because;         ///< told to who sets it for another strategy
  const OptionSection* section = nullptr;  ///< that it is in; null: `training` itself
  /// What-if tries one more of it, by this name; empty: it does not.
  std::string_view one_more = {};
  std::string_view one_more_doc = {};

  /// Below `training`: `staleness`, `outer.momentum`.
  [[nodiscard]] std::string path() const;
};

/// What a scenario says of options. Each is known by its Option alone, so there is no other list.
class ProtocolOptions {
 public:
  /// What was set, else the fallback. The type is the option's.
  [[nodiscard]] std::int64_t integer(const Option& option) const;
  [[nodiscard]] double number(const Option& option) const;
  [[nodiscard]] const std::string& word(const Option& option) const;

  [[nodiscard]] const Option::Value& value(const Option& option) const;
  void set(const Option& option, Option::Value value);
  /// Only what `options` lists, the rest as if it had never been set.
  [[nodiscard]] ProtocolOptions only(const std::vector<const Option*>& options) const;
  /// Something is set in this section.
  [[nodiscard]] bool has_any(const OptionSection& section) const;

  bool operator==(const ProtocolOptions&) const = default;

 private:
  // By section and key; what equals its fallback is not here, so that equal settings are equal.
  std::map<std::string, Option::Value, std::less<>> set_;
};

}  // namespace foretrain
