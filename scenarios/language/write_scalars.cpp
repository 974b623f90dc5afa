// Writes scalars as text, as JSON Schema.
#include "scenarios/language/decimal.h"
#include "scenarios/language/scalars.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {
namespace {

Value scalar(std::string text) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = std::move(text);
  return value;
}

template <class T>
Value list(const Field& rule, const std::vector<T>& items) {
  Value value;
  value.kind = Value::Kind::list;
  for (const T& item : items) value.items.push_back(write_value(rule, item));
  return value;
}

Schema quantity(const std::string& pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

Schema bounded(const Field& rule, Schema schema) {
  const auto bound = [&](const char* name, double value) {
    // Writes a whole bound as 1, not 1.0.
    if (const auto whole = to_integer(decimal_of(value))) {
      schema[name] = *whole;
    } else {
      schema[name] = value;
    }
  };
  if (rule.least) bound("minimum", *rule.least);
  if (rule.above) bound("exclusiveMinimum", *rule.above);
  if (rule.most) bound("maximum", *rule.most);
  return schema;
}

}  // namespace

Value write_value(const Field& /*rule*/, bool member) { return scalar(member ? "on" : "off"); }
Value write_value(const Field& /*rule*/, int member) { return scalar(fmt::format("{}", member)); }
Value write_value(const Field& /*rule*/, std::int64_t member) {
  return scalar(fmt::format("{}", member));
}
Value write_value(const Field& /*rule*/, std::uint64_t member) {
  return scalar(fmt::format("{}", member));
}
Value write_value(const Field& rule, double member) {
  if (rule.share) return scalar(share_to_text(member));
  return scalar(rule.seconds ? seconds_to_text(member) : to_text(decimal_of(member)));
}
Value write_value(const Field& /*rule*/, const std::string& member) { return scalar(member); }
Value write_value(const Field& rule, Bytes member) {
  const bool word = member.value == 0 && !rule.zero.empty();
  return scalar(word ? std::string(rule.zero) : to_text(member));
}
Value write_value(const Field& /*rule*/, BytesPerSecond member) { return scalar(to_text(member)); }
Value write_value(const Field& /*rule*/, const Price& member) {
  return scalar(price_to_text(member));
}
Value write_value(const Field& /*rule*/, Duration member) { return scalar(to_text(member)); }
Value write_value(const Field& rule, const std::optional<Duration>& member) {
  return member ? write_value(rule, *member) : Value{};
}
Value write_value(const Field& /*rule*/, const CheckpointRule& member) {
  if (!member.wanted()) return {};
  if (member.steps == 0) return scalar(to_text(member.time));
  return scalar(fmt::format("{} step{}", member.steps, member.steps == 1 ? "" : "s"));
}
Value write_value(const Field& /*rule*/, const StepsOrExamples& member) {
  return scalar(fmt::format("{}{}", member.count, member.examples ? " examples" : ""));
}
Value write_value(const Field& rule, const std::vector<std::string>& member) {
  return list(rule, member);
}
Value write_value(const Field& rule, const std::vector<int>& member) {
  return rule.indices && member.empty() ? scalar("all") : list(rule, member);
}

Schema schema_of(const Field& /*rule*/, bool) {
  // YAML 1.1 reads on and off as true and false, YAML 1.2 as texts; editors differ.
  return {{"enum", Schema::array({"on", "off", true, false})}};
}
Schema schema_of(const Field& rule, int) { return bounded(rule, {{"type", "integer"}}); }
Schema schema_of(const Field& rule, std::int64_t) {
  Schema whole = bounded(rule, {{"type", "integer"}});
  if (!rule.prefixed) return whole;
  const Schema prefixed{{"type", "string"}, {"pattern", "^[0-9.]+ *[kKMGBT]$"}};
  return {{"anyOf", Schema::array({whole, prefixed})}};
}
Schema schema_of(const Field& /*rule*/, std::uint64_t) {
  return {{"type", "integer"}, {"minimum", 0}};
}
Schema schema_of(const Field& rule, double) {
  if (rule.share) return quantity(share_pattern());
  if (rule.seconds) return quantity(duration_pattern());
  Schema number = bounded(rule, {{"type", "number"}});
  if (!rule.fraction()) return number;
  return {{"anyOf", Schema::array({number, quantity(share_pattern())})}};
}
Schema schema_of(const Field& rule, const std::string&) {
  Schema schema{{"type", "string"}};
  if (!rule.choices.empty()) schema["enum"] = rule.choices;
  return schema;
}
Schema schema_of(const Field& rule, Bytes) {
  Schema size = quantity(bytes_pattern());
  if (rule.zero.empty()) return size;
  return {{"anyOf", Schema::array({size, Schema{{"const", rule.zero}}})}};
}
Schema schema_of(const Field& /*rule*/, BytesPerSecond) { return quantity(rate_pattern()); }
Schema schema_of(const Field& /*rule*/, Duration) { return quantity(duration_pattern()); }
Schema schema_of(const Field& /*rule*/, const Price&) { return quantity(price_pattern()); }
Schema schema_of(const Field& rule, const std::optional<Duration>&) {
  return schema_of(rule, Duration{});
}
Schema schema_of(const Field& /*rule*/, const CheckpointRule&) {
  return {{"anyOf", Schema::array({quantity("^[0-9]+ *steps?$"), quantity(duration_pattern())})}};
}
Schema schema_of(const Field& rule, const StepsOrExamples&) {
  return {{"anyOf", Schema::array({schema_of(rule, std::int64_t{}),
                                   quantity("^[0-9]+ *(steps?|examples?)$")})}};
}
Schema schema_of(const Field& rule, const std::vector<std::string>&) {
  return {{"type", "array"}, {"items", schema_of(rule, std::string())}};
}
Schema schema_of(const Field& rule, const std::vector<int>&) {
  Schema items{{"type", "array"}, {"minItems", 1}, {"items", schema_of(rule, 0)}};
  if (!rule.indices) return items;
  return {{"anyOf", Schema::array({Schema{{"const", "all"}}, items})}};
}

}  // namespace foretrain
