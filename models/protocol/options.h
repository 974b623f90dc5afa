// Scenario keys that only some strategies read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foretrain {

/// A mapping below `training:` that contains options, such as `outer: {...}`.
struct OptionSection {
  std::string_view key;
  std::string_view doc;  ///< for editors; one line
};

/// A key of `training:` that some strategies have. The file of a strategy defines its keys and
/// lists them in its Protocol; reading, writing, the schema and the reference follow from that.
struct Option {
  using Value = std::variant<std::int64_t, double, std::string>;

  std::string_view key;
  std::string_view doc;                    ///< for editors; one line
  Value fallback;                          ///< default, whose type is the option's type
  double least = 0;                        ///< lower limit of a number
  double most = 1e6;                       ///< upper limit of a number
  std::vector<std::string> choices{};      ///< allowed values of a word
  std::string_view unused_because;         ///< message to a user who sets it for another strategy
  const OptionSection* section = nullptr;  ///< section of the key; null: `training` itself
  /// What-if tries an increase by one under this name; empty if it does not.
  std::string_view one_more = {};
  std::string_view one_more_doc = {};

  /// The path below `training`: `staleness`, `outer.momentum`.
  [[nodiscard]] std::string path() const;
};

/// The values of options in a scenario. Each is identified by its Option, so there is no other
/// list.
class ProtocolOptions {
 public:
  /// The value that was set, else the fallback. The type is the option's.
  [[nodiscard]] std::int64_t integer(const Option& option) const;
  [[nodiscard]] double number(const Option& option) const;
  [[nodiscard]] const std::string& word(const Option& option) const;

  [[nodiscard]] const Option::Value& value(const Option& option) const;
  void set(const Option& option, Option::Value value);
  /// These options without those that `options` does not list.
  [[nodiscard]] ProtocolOptions only(const std::vector<const Option*>& options) const;
  /// An option of this section is set.
  [[nodiscard]] bool has_any(const OptionSection& section) const;

  bool operator==(const ProtocolOptions&) const = default;

 private:
  // Values equal to the fallback are not stored, so that equal settings are equal.
  std::map<const Option*, Option::Value> set_;
};

}  // namespace foretrain
