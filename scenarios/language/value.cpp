// Writes marks for messages, trees as YAML.
#include "scenarios/language/value.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace foretrain {
namespace {

bool all_scalars(const std::vector<Value>& items) {
  return std::ranges::all_of(items, [](const Value& item) {
    return item.kind == Value::Kind::scalar || item.kind == Value::Kind::null;
  });
}

/// Quotes texts that the library writes bare but reads otherwise: carriage returns, document
/// separators.
void emit_text(YAML::Emitter& out, const std::string& text) {
  const bool parts = text.starts_with("---") || text.starts_with("...");
  if (parts || text.find('\r') != std::string::npos) out << YAML::DoubleQuoted;
  out << text;
}

void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out << YAML::Null;
      return;
    case Value::Kind::scalar:
      emit_text(out, value.text);
      return;
    case Value::Kind::list:
      if (all_scalars(value.items)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item);
      out << YAML::EndSeq;
      return;
    case Value::Kind::map:
      out << YAML::BeginMap;
      for (const Entry& entry : value.entries) {
        out << YAML::Key;
        emit_text(out, entry.key);
        out << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

std::string to_text(const TextMark& mark) {
  const std::string source = mark.source ? *mark.source : std::string();
  return mark.line == 0 ? source : fmt::format("{}:{}:{}", source, mark.line, mark.column);
}

const Entry* Value::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

Entry* Value::find(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

void Value::erase(std::string_view key) {
  std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
}

std::string_view kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::scalar:
      return "a scalar";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      return "a mapping";
  }
  return "unknown";
}

std::string to_yaml(const Value& value) {
  YAML::Emitter out;
  emit(out, value);
  return std::string(out.c_str()) + "\n";
}

std::string to_flow(const Value& value) {
  if (value.kind == Value::Kind::scalar) return value.text;
  YAML::Emitter out;
  out.SetSeqFormat(YAML::Flow);
  out.SetMapFormat(YAML::Flow);
  emit(out, value);
  return out.c_str();
}

void lay_under(Value& over, const Value& under) {
  for (const Entry& entry : under.entries) {
    Entry* own = over.find(entry.key);
    if (own == nullptr) {
      over.entries.push_back(entry);
    } else if (own->value.kind == Value::Kind::map) {
      lay_under(own->value, entry.value);
    }
  }
}

}  // namespace foretrain
