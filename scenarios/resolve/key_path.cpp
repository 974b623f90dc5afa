// Walks a tree along a dotted path.
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/expand_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace foretrain {
namespace {

bool is_index(const std::string& part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

/// The item of `list` with the index `part`; nothing if `part` is not a valid index.
std::optional<std::size_t> index_in(const Value& list, const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool whole = error == std::errc() && end == part.data() + part.size();
  if (!whole || index >= list.items.size()) return std::nullopt;
  return index;
}

[[noreturn]] void fail_step(const Value& at, const KeyPath& path, std::size_t depth,
                            const TextMark& mark) {
  const std::string above = to_text(KeyPath(path.begin(), path.begin() + static_cast<long>(depth)));
  std::string why =
      fmt::format("{} is {}, it has no keys; set {} itself", above, kind_name(at.kind), above);
  if (at.kind == Value::Kind::list) {
    why = at.items.empty() ? fmt::format("{} is empty; set {} itself", above, above)
                           : fmt::format("{} has the items 0 to {}; write one of these indices",
                                         above, at.items.size() - 1);
  } else if (is_index(path[depth])) {
    why = fmt::format("there is no list {}; set {} itself", above, above);
  }
  throw InputError(fmt::format("{}: {}: {}", to_text(mark), to_text(path), why));
}

/// The child of `at` that path[depth] names. A missing mapping is created.
Value& step_into(Value& at, const KeyPath& path, std::size_t depth, const TextMark& mark) {
  if (at.kind == Value::Kind::list) {
    const auto index = index_in(at, path[depth]);
    if (!index) fail_step(at, path, depth, mark);
    return at.items[*index];
  }
  if (at.kind == Value::Kind::scalar || is_index(path[depth])) fail_step(at, path, depth, mark);
  if (at.kind == Value::Kind::null) {
    at.kind = Value::Kind::map;
    at.mark = mark;
  }
  if (Entry* entry = at.find(path[depth])) return entry->value;
  at.entries.push_back({path[depth], mark, {}});
  at.entries.back().value.mark = mark;
  return at.entries.back().value;
}

}  // namespace

KeyPath parse_key_path(std::string_view text) {
  KeyPath path(1);
  bool closed = false;  // after a bracket, only a dot or another bracket may follow
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      const std::size_t end = std::min(text.find(']', i), text.size());
      const std::string index(text.substr(i + 1, end - i - 1));
      if (end == text.size() || !is_index(index) || path.back().empty()) break;
      path.push_back(index);
      i = end;
      closed = true;
      if (i + 1 == text.size()) return path;
    } else if (c == '.') {
      if (path.back().empty()) break;
      path.emplace_back();
      closed = false;
    } else if (closed || c == ']') {
      break;
    } else {
      path.back() += c;
      if (i + 1 == text.size()) return path;
    }
  }
  throw BadValue(
      fmt::format("'{}' is no path to a key; write for instance training.workers, or "
                  "cluster.hosts[0].nic",
                  text));
}

std::string to_text(const KeyPath& path) {
  std::string text;
  for (const std::string& part : path) {
    if (is_index(part)) {
      text += "[" + part + "]";
    } else {
      text += (text.empty() ? "" : ".") + part;
    }
  }
  return text;
}

void lay_over(Value& root, const KeyPath& path, const TextMark& mark, Value value) {
  Value* at = &root;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    at = &step_into(*at, path, depth, mark);
  }
  *at = std::move(value);
  // An error about the key itself, such as an unknown key, has to point at this assignment.
  Value* parent = &root;
  for (std::size_t depth = 0; depth + 1 < path.size(); ++depth) {
    parent = &step_into(*parent, path, depth, mark);
  }
  if (Entry* entry = parent->find(path.back())) entry->mark = mark;
}

bool remove_from(Value& root, const KeyPath& path) {
  Value* at = &root;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    const bool last = depth + 1 == path.size();
    if (at->kind == Value::Kind::list) {
      const auto index = index_in(*at, path[depth]);
      if (!index) return false;
      if (last)
        at->items.erase(at->items.begin() + static_cast<long>(*index));
      else
        at = &at->items[*index];
      continue;
    }
    Entry* entry = at->find(path[depth]);
    if (entry == nullptr) return false;
    if (last)
      at->erase(path[depth]);
    else
      at = &entry->value;
  }
  return true;
}

}  // namespace foretrain
