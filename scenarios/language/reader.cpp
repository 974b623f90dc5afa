// The untyped part of reading: places, unused keys, messages.
#include "scenarios/language/reader.h"

#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

/// A path in the notation of key paths: `cluster.hosts[].nic` for `cluster.hosts[2].nic`.
std::string without_indices(const std::string& path) {
  std::string result;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) result += c;
    if (c == '[') inside = true;
  }
  return result;
}

/// Whether `path` matches `pattern`, in which `*` stands for one part of the path.
bool matches(std::string_view pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size()) return false;
  const std::size_t length = path.size() - before.size() - after.size();
  return path.starts_with(before) && path.ends_with(after) &&
         path.substr(before.size(), length).find('.') == std::string_view::npos;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

void fail_at(const std::string& place, const std::string& path, const std::string& what) {
  std::string message = place;
  for (const std::string& part : {path, what}) {
    if (part.empty()) continue;
    if (!message.empty()) message += ": ";
    message += part;
  }
  throw InputError(message);
}

bool is_known(const std::string& path, const std::vector<std::string>& keys) {
  std::string plain = without_indices(path);
  if (plain.ends_with("[]")) plain.resize(plain.size() - 2);
  return std::ranges::any_of(keys, [&](const std::string& key) { return matches(key, plain); });
}

void Reading::note_used(const std::string& path, const std::string& place) {
  used_.emplace(place, path);
}

void Reading::note_unused(const std::string& path, const std::string& place,
                          const std::string& complaint) {
  complaints_.emplace_back(Key{place, path}, complaint);
}

void Reading::check_all_used() const {
  for (const auto& [key, complaint] : complaints_) {
    if (!used_.contains(key)) fail_at(key.first, key.second, complaint);
  }
}

void Reading::fail_unknown(const Entry& entry, const std::string& parent) const {
  const std::string prefix = parent.empty() ? "" : parent + ".";
  for (const RetiredKey& key : retired_) {
    if (!matches(key.path, without_indices(prefix + entry.key))) continue;
    fail_at(to_text(entry.mark), prefix + entry.key, fmt::format("{}; {}", key.what, key.advice));
  }
  std::vector<std::string> here;
  std::string elsewhere;
  for (const std::string& key : keys_) {
    if (matches(parent_of(key), without_indices(parent))) {
      here.emplace_back(last_of(key));
    }
    if (elsewhere.empty() && last_of(key) == entry.key) elsewhere = key;
  }
  std::string advice = fmt::format("the keys here are {}", fmt::join(here, ", "));
  if (const std::string near = nearest(entry.key, here); !near.empty()) {
    advice = fmt::format("did you mean {}{}?", prefix, near);
  } else if (!elsewhere.empty()) {
    advice = fmt::format("did you mean {}?", elsewhere);
  }
  fail_at(to_text(entry.mark), prefix + entry.key, "unknown key; " + advice);
}

Reader::Reader(Reading& reading, const Value& map, std::string path)
    : reading_(reading), map_(map), path_(std::move(path)) {
  reading_.note_place(path_, map.mark);
  if (map.kind == Value::Kind::map) return;
  fail_at(to_text(map.mark), path_,
          fmt::format("{}; write a mapping, a line `key: value` for each of its keys",
                      kind_name(map.kind)));
}

void Reader::finish() const {
  for (const Entry& entry : map_.entries) {
    if (!visited_.contains(entry.key)) reading_.fail_unknown(entry, path_);
  }
  if (!missing_.first.empty()) fail_at(to_text(map_.mark), missing_.first, missing_.second);
}

Value Reader::in_full(const Field& rule, const Value& value) {
  const bool list = value.kind == Value::Kind::list;
  if (!list && value.kind != Value::Kind::scalar) return value;
  const std::string_view key =
      list && !rule.list_shorthand.empty() ? rule.list_shorthand : rule.shorthand;
  if (key.empty()) return value;
  Value map;
  map.kind = Value::Kind::map;
  map.mark = value.mark;
  map.entries.push_back({std::string(key), value.mark, value});
  return map;
}

Value Reader::begun_like(const Field& rule, Value item, const std::string& path) {
  Entry* like = rule.library.empty() ? nullptr : item.find("like");
  if (like == nullptr) return item;
  reading_.note_place(path + ".like", like->value.mark);
  if (like->value.kind != Value::Kind::null) {
    Entry count{"count", like->mark, like->value};
    const auto [name, number] = parse_several(count.value.text);
    if (!number.empty() && rule.library == "hardware" && item.find("count") == nullptr) {
      like->value.text = name;
      count.value.text = std::string(number);
      item.entries.push_back(std::move(count));
    }
    lay_under(item, reading_.preset(rule.library, item, path));
  }
  item.erase("like");
  return item;
}

const Entry* Reader::take(const Field& rule) {
  visited_.emplace(rule.key);
  const Entry* entry = map_.find(rule.key);
  if (entry != nullptr) {
    const std::string path = path_of(rule.key);
    reading_.note_place(path, entry->value.mark);
    for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
      reading_.note_place(fmt::format("{}[{}]", path, i), entry->value.items[i].mark);
    }
  } else if (rule.required && rule.used) {
    if (missing_.first.empty()) {
      missing_ = {path_of(rule.key),
                  fmt::format("missing; write {}: ... ({})", rule.key, rule.doc)};
    }
  }
  return entry;
}

void Reader::note_use(const Field& rule, const Entry& entry, bool is_default) {
  const std::string place = to_text(entry.value.mark);
  const std::string path = path_of(rule.key);
  if (rule.used) return reading_.note_used(path, place);
  reading_.note_idle(path);
  if (!is_default && !reading_.in_preset(entry.value.mark)) {
    reading_.note_unused(path, place,
                         fmt::format("set to {}, but no case uses it ({}); remove it",
                                     to_flow(entry.value), rule.unused_because));
  }
}

void Reader::expect(const Entry& entry, Value::Kind kind) const {
  if (entry.value.kind == kind) return;
  fail_at(to_text(entry.value.mark), path_of(entry.key),
          fmt::format("{}; write {}", kind_name(entry.value.kind), kind_name(kind)));
}

void Reader::fail_value(const Entry& entry, std::optional<std::size_t> item,
                        const std::string& what) const {
  const TextMark& mark = item ? entry.value.items[*item].mark : entry.value.mark;
  const std::string index = item ? fmt::format("[{}]", *item) : "";
  fail_at(to_text(mark), path_of(entry.key) + index, what);
}

std::string Reader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

}  // namespace foretrain
