// Lists the keys of a described struct for people.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/protocol/checkpoint_rule.h"
#include "scenarios/language/field.h"
#include "scenarios/language/key_text.h"
#include "scenarios/language/scalars.h"
#include "scenarios/language/value.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

// The allowed values of a key, in words: `whole number, 1 or more`. Bounds that only catch typing
// mistakes are left out.

std::string value_words(const Field& rule, bool member);
std::string value_words(const Field& rule, int member);
std::string value_words(const Field& rule, std::int64_t member);
std::string value_words(const Field& rule, std::uint64_t member);
std::string value_words(const Field& rule, double member);
std::string value_words(const Field& rule, const std::string& member);
std::string value_words(const Field& rule, Bytes member);
std::string value_words(const Field& rule, BytesPerSecond member);
std::string value_words(const Field& rule, Duration member);
std::string value_words(const Field& rule, const Price& member);
std::string value_words(const Field& rule, const std::optional<Duration>& member);
std::string value_words(const Field& rule, const CheckpointRule& member);
std::string value_words(const Field& rule, const StepsOrExamples& member);
std::string value_words(const Field& rule, const std::vector<std::string>& member);
std::string value_words(const Field& rule, const std::vector<int>& member);

/// `mapping`, with its short forms (Field::shorthand).
std::string mapping_words(const Field& rule);

/// The visitor (scenarios/language/field.h) that lists the keys of a mapping and of its nested
/// mappings.
class ReferenceBuilder {
 public:
  /// Appends to `keys`, which have to outlive this; `path`: of the mapping, with a trailing dot.
  explicit ReferenceBuilder(std::vector<KeyText>& keys, std::string path = {})
      : keys_(keys), path_(std::move(path)) {}

  template <class T>
  void field(const Field& rule, const T& member) {
    const Value value = write_value(rule, member);
    // An unwritten or empty default has the meaning that its text gives for `left out`.
    const bool told = rule.written || std::same_as<T, bool> || member != T{};
    const bool has = told && value.kind != Value::Kind::null;
    add(rule, value_words(rule, member), has ? to_flow(value) : std::string());
  }

  template <class T>
  void section(const Field& rule, const T& member) {
    add(rule, mapping_words(rule));
    add_like(rule, ".");
    below(rule, ".", member);
  }

  template <class T>
  void list(const Field& rule, const std::vector<T>& /*member*/) {
    add(rule, "list, each a " + mapping_words(rule));
    add_like(rule, "[].");
    below(rule, "[].", T{});
  }

  template <class T>
  void table(const Field& rule, const std::map<std::string, T>& /*member*/) {
    add(rule, "mapping from names of your choice to mappings");
    below(rule, ".*.", T{});
  }

  /// Adds a key that is not a member, with the caller's words.
  void add(const Field& rule, std::string value, std::string fallback = {}) {
    const bool required = rule.required && rule.used;
    std::string doc(rule.doc);
    if (rule.unused_because.starts_with("only ")) doc += "; " + std::string(rule.unused_because);
    keys_.push_back({path_ + std::string(rule.key), std::move(value),
                     required ? std::string() : std::move(fallback), std::move(doc), required});
  }

 private:
  void add_like(const Field& rule, std::string_view joint) {
    if (rule.library.empty()) return;
    ReferenceBuilder items(keys_, path_ + std::string(rule.key) + std::string(joint));
    items.add({.key = "like", .doc = kLikeDoc}, "name of the library");
  }

  template <class T>
  void below(const Field& rule, std::string_view joint, const T& member) {
    ReferenceBuilder inner(keys_, path_ + std::string(rule.key) + std::string(joint));
    describe(inner, member);
  }

  std::vector<KeyText>& keys_;
  std::string path_;
};

}  // namespace foretrain
