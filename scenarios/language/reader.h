// Reads a described struct from a YAML tree.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/scalars.h"
#include "scenarios/language/value.h"

#include <concepts>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

/// A key of files of an earlier version, or a key that people expect but that does not exist.
struct RetiredKey {
  std::string_view path;    ///< in the notation of key paths: `models.*.crowding`
  std::string_view advice;  ///< remedy for such a file
  std::string_view what = "this key was removed";
};

/// Loads the preset of `folder` that the mapping `item` names by its key `like`; `path`: the
/// item's, for messages. @throws InputError if there is none of that name
using LoadPreset = Value (*)(std::string_view folder, const Value& item, const std::string& path);

/// State of reading a file over all cases in it.
class Reading {
 public:
  /// `keys`: every key path that the file may have (reference.h), for suggestions; `presets`:
  /// needed if a field of the file has a Field::library; `retired`: removed keys, which have to
  /// outlive this.
  explicit Reading(std::vector<std::string> keys, LoadPreset presets = nullptr,
                   std::span<const RetiredKey> retired = {})
      : keys_(std::move(keys)), presets_(presets), retired_(retired) {}

  [[nodiscard]] Value preset(std::string_view folder, const Value& item, const std::string& path) {
    Value value = presets_(folder, item, path);
    presets_read_.insert(value.mark.source);
    return value;
  }

  /// The place is in a preset, whose unused keys are not errors.
  [[nodiscard]] bool in_preset(const TextMark& mark) const {
    return presets_read_.contains(mark.source);
  }

  /// Notes a place in the user's file. A value of a preset has that of the item that names it.
  void note_place(const std::string& path, const TextMark& mark) {
    if (!in_preset(mark)) places_[path] = to_text(mark);
  }
  /// The place of each key of the last case; resets for the next case.
  std::map<std::string, std::string> take_places() { return std::exchange(places_, {}); }

  /// Notes that this case uses the value at `place`, or does not, with the reason in `complaint`.
  void note_used(const std::string& path, const std::string& place);
  void note_unused(const std::string& path, const std::string& place, const std::string& complaint);
  /// @throws InputError if a value is used by no case
  void check_all_used() const;

  /// Notes that this case gives a key that it does not use, even if at its default.
  void note_idle(const std::string& path) { idle_.insert(path); }
  /// Those keys of the last case; resets for the next case.
  std::set<std::string> take_idle() { return std::exchange(idle_, {}); }

  [[noreturn]] void fail_unknown(const Entry& entry, const std::string& parent) const;

 private:
  using Key = std::pair<std::string, std::string>;  // place, path

  std::vector<std::string> keys_;
  LoadPreset presets_;
  std::span<const RetiredKey> retired_;
  std::set<std::shared_ptr<const std::string>> presets_read_;  // their sources
  std::map<std::string, std::string> places_;
  std::set<std::string> idle_;  // paths
  std::set<Key> used_;
  std::vector<std::pair<Key, std::string>> complaints_;  // in the order of the file
};

/// Throws `place: path: what`, without the path if it is empty.
[[noreturn]] void fail_at(const std::string& place, const std::string& path,
                          const std::string& what);

/// Whether `path` without its indices is one of `keys`, or an item of one.
bool is_known(const std::string& path, const std::vector<std::string>& keys);

/// The visitor (scenarios/language/field.h) that reads one mapping. A member whose key is missing
/// or unused keeps its value.
class Reader {
 public:
  /// `path`: of the mapping, empty for the whole file.
  Reader(Reading& reading, const Value& map, std::string path);

  template <class T>
  void field(const Field& rule, T& member) {
    const Entry* entry = take(rule);
    if (entry == nullptr) return;
    T value = member;
    try {
      read_value(rule, entry->value, value);
    } catch (const BadValue& error) {
      fail_value(*entry, error.item(), error.what());
    }
    note_use(rule, *entry, value == member);
    if (rule.used) member = std::move(value);
  }

  template <class T>
  void section(const Field& rule, T& member) {
    const Entry* entry = take(rule);
    if (entry == nullptr) return;
    if (entry->value.kind == Value::Kind::null && !rule.required) return;
    const Value whole = begun_like(rule, in_full(rule, entry->value), path_of(rule.key));
    T value = member;
    read_map(whole, path_of(rule.key), value);
    if constexpr (std::equality_comparable<T>) note_use(rule, *entry, value == member);
    if (rule.used) member = std::move(value);
  }

  template <class T>
  void list(const Field& rule, std::vector<T>& member) {
    const Entry* entry = take(rule);
    if (entry == nullptr || entry->value.kind == Value::Kind::null) return;
    const bool alone = entry->value.kind == Value::Kind::scalar && !rule.library.empty();
    if (!alone) expect(*entry, Value::Kind::list);
    const std::span<const Value> given(alone ? &entry->value : entry->value.items.data(),
                                       alone ? 1 : entry->value.items.size());
    std::vector<T> items;
    for (const Value& item : given) {
      const std::string path = path_of(rule.key) + "[" + std::to_string(items.size()) + "]";
      const Value whole = begun_like(rule, in_full(rule, item), path);
      read_map(whole, path, items.emplace_back());
    }
    note_use(rule, *entry, items.empty());
    if (rule.used) member = std::move(items);
  }

  template <class T>
  void table(const Field& rule, std::map<std::string, T>& member) {
    const Entry* entry = take(rule);
    if (entry == nullptr || entry->value.kind == Value::Kind::null) return;
    expect(*entry, Value::Kind::map);
    for (const Entry& row : entry->value.entries) {
      read_map(row.value, path_of(rule.key) + "." + row.key, member[row.key]);
    }
  }

  /// To be called last. @throws InputError if the mapping has an unknown key, else if a required
  /// key is missing: a missing key is often there, misspelt
  void finish() const;

 private:
  template <class T>
  void read_map(const Value& value, const std::string& path, T& member) {
    Reader inner(reading_, value, path);
    describe(inner, member);
    inner.finish();
  }

  /// `value` as a mapping, if it is written in short form (Field::shorthand).
  static Value in_full(const Field& rule, const Value& value);
  /// `item` with the defaults of its `like` (Field::library).
  Value begun_like(const Field& rule, Value item, const std::string& path);
  /// The entry of the rule's key; null if it is missing.
  const Entry* take(const Field& rule);
  void note_use(const Field& rule, const Entry& entry, bool is_default);
  void expect(const Entry& entry, Value::Kind kind) const;
  [[noreturn]] void fail_value(const Entry& entry, std::optional<std::size_t> item,
                               const std::string& what) const;
  [[nodiscard]] std::string path_of(std::string_view key) const;

  Reading& reading_;
  const Value& map_;
  std::string path_;
  std::set<std::string, std::less<>> visited_;
  std::pair<std::string, std::string> missing_;  // path of the first missing key, with the remedy
};

}  // namespace foretrain
