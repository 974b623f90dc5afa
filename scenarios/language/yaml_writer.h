// Writes a described struct as a YAML tree.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"
#include "scenarios/language/value.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {

/// The visitor (scenarios/language/field.h) that writes one mapping.
class Writer {
 public:
  Writer() { map_.kind = Value::Kind::map; }

  template <class T>
  void field(const Field& rule, const T& member) {
    if (rule.used && rule.written) add(rule.key, write_value(rule, member));
  }

  template <class T>
  void section(const Field& rule, const T& member) {
    if (!rule.used || !rule.written) return;
    Value value = in_short(rule, map_of(member));
    if (value.kind != Value::Kind::map || !value.entries.empty()) add(rule.key, std::move(value));
  }

  template <class T>
  void list(const Field& rule, const std::vector<T>& member) {
    if (!rule.used || !rule.written) return;
    Value list;
    list.kind = Value::Kind::list;
    for (const T& item : member) list.items.push_back(in_short(rule, map_of(item)));
    add(rule.key, std::move(list));
  }

  template <class T>
  void table(const Field& rule, const std::map<std::string, T>& member) {
    if (!rule.used || !rule.written || member.empty()) return;
    Writer rows;
    for (const auto& [name, row] : member) rows.add(name, map_of(row));
    add(rule.key, rows.take());
  }

  void add(std::string_view key, Value value) {
    map_.entries.push_back({std::string(key), {}, std::move(value)});
  }
  Value take() { return std::move(map_); }

 private:
  template <class T>
  static Value map_of(const T& member) {
    Writer inner;
    describe(inner, member);
    return inner.take();
  }
  /// The short form that the reader accepts for the same mapping (Field::shorthand).
  static Value in_short(const Field& rule, Value map) {
    if (map.entries.size() != 1) return map;
    const std::string& key = map.entries.front().key;
    if (key != rule.shorthand && key != rule.list_shorthand) return map;
    return Value(map.entries.front().value);
  }

  Value map_;
};

}  // namespace foretrain
