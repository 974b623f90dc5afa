// A YAML document as a plain tree with the place of every value.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The place of a text.
struct TextMark {
  std::shared_ptr<const std::string> source;  ///< a file's path, or `--set key=value`
  int line = 0;    ///< from 1; 0: the source is one line, its name suffices
  int column = 0;  ///< from 1, bytes
};
/// `scenarios/mnist.yaml:7:31`, or the source alone.
std::string to_text(const TextMark& mark);

struct Entry;

/// Aliases are expanded, tags dropped. An empty value is null, as are `~` and `null`.
struct Value {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  TextMark mark;
  std::string text;            ///< of a scalar, unquoted
  std::vector<Value> items;    ///< of a list
  std::vector<Entry> entries;  ///< of a map, in order, each key once

  [[nodiscard]] const Entry* find(std::string_view key) const;
  [[nodiscard]] Entry* find(std::string_view key);
  /// Removes the entry, if it exists.
  void erase(std::string_view key);
};

/// A key of a map with its value.
struct Entry {
  std::string key;
  TextMark mark;  ///< of the key
  Value value;
};

/// `null`, `a scalar`, `a list`, `a mapping`.
std::string_view kind_name(Value::Kind kind);

/// Parses `text`, one document of at most 1 MB of UTF-8, nested at most 50 deep, with at most
/// 10,000 values after the expansion of aliases. `source` replaces the file name in messages.
/// @throws InputError
Value parse_yaml(std::string_view text, const std::string& source);
/// As parse_yaml, for a file. @throws InputError
Value load_yaml(const std::string& path);
/// Parses the value of an override: null if `text` is empty; marks name only `source`.
Value parse_yaml_value(std::string_view text, const std::string& source);

/// The tree as YAML in block style; lists of scalars are on one line.
std::string to_yaml(const Value& value);
/// The tree on one line; a scalar as its plain text.
std::string to_flow(const Value& value);

/// Adds to the mapping `over` what `under` has and it has not; to mappings within them likewise.
void lay_under(Value& over, const Value& under);

}  // namespace foretrain
