// The JSON schemas of scenario files, of machine files.
#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/reference.h"
#include "scenarios/spec/scenario_fields.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// The visitor (scenarios/language/field.h) that lists the keys of one mapping.
class SchemaBuilder {
 public:
  template <class T>
  void field(const Field& rule, const T& member) {
    add(rule, schema_of(rule, member));
  }

  template <class T>
  void section(const Field& rule, const T& member) {
    add(rule, with_shorthands(rule, object_of(member)));
  }

  template <class T>
  void list(const Field& rule, const std::vector<T>& /*member*/) {
    Schema list{{"type", "array"}, {"items", with_shorthands(rule, object_of(T{}))}};
    if (!rule.library.empty()) list = {{"anyOf", Schema::array({list, {{"type", "string"}}})}};
    add(rule, std::move(list));
  }

  template <class T>
  void table(const Field& rule, const std::map<std::string, T>& /*member*/) {
    add(rule, {{"type", "object"}, {"additionalProperties", object_of(T{})}});
  }

  /// Adds a key that is not a member, with the caller's schema.
  void add(const Field& rule, Schema schema) {
    schema["description"] = rule.doc;
    properties_[std::string(rule.key)] = std::move(schema);
    if (rule.required && rule.used) required_.push_back(rule.key);
  }

  Schema take() {
    Schema schema{{"type", "object"}};
    if (!required_.empty()) schema["required"] = std::move(required_);
    schema["additionalProperties"] = false;
    schema["properties"] = std::move(properties_);
    return schema;
  }

 private:
  /// The object, or one of its short forms (Field::shorthand).
  static Schema with_shorthands(const Field& rule, Schema object) {
    Schema choices = Schema::array();
    if (!rule.library.empty()) allow_like(object);
    for (const std::string_view key : {rule.shorthand, rule.list_shorthand}) {
      if (key.empty()) continue;
      choices.push_back(object["properties"][std::string(key)]);
    }
    if (choices.empty()) return object;
    choices.insert(choices.begin(), std::move(object));
    return {{"anyOf", std::move(choices)}};
  }

  /// Allows `like` (Field::library) in the object, which then has no required keys.
  static void allow_like(Schema& object) {
    object["properties"]["like"] = {{"type", "string"}, {"description", kLikeDoc}};
    if (!object.contains("required")) return;
    Schema whole;
    whole["required"] = object["required"];
    Schema begun;
    begun["required"] = Schema::array({"like"});
    object["anyOf"] = Schema::array({std::move(whole), std::move(begun)});
    object.erase("required");
  }

  template <class T>
  static Schema object_of(const T& defaults) {
    SchemaBuilder inner;
    describe(inner, defaults);
    return inner.take();
  }

  Schema properties_ = Schema::object();
  Schema required_ = Schema::array();
};

void add_paths(const Schema& schema, const std::string& path, std::vector<std::string>& paths) {
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    for (const auto& [key, inner] : properties->items()) {
      std::string below = path;
      if (!below.empty()) below += '.';
      below += key;
      paths.push_back(below);
      add_paths(inner, below, paths);
    }
  }
  if (const auto choices = schema.find("anyOf"); choices != schema.end()) {
    add_paths(choices->front(), path, paths);  // the others are short forms
  }
  if (const auto items = schema.find("items"); items != schema.end()) {
    add_paths(*items, path + "[]", paths);
  }
  const auto rows = schema.find("additionalProperties");
  if (rows != schema.end() && rows->is_object()) add_paths(*rows, path + ".*", paths);
}

/// Every key path that a schema allows: `training.workers`, `cluster.hosts[].nic`,
/// `models.*.gradient.overhead`.
std::vector<std::string> key_paths(const Schema& schema) {
  std::vector<std::string> paths;
  add_paths(schema, "", paths);
  return paths;
}

Schema version_schema() { return {{"const", 1}}; }

Schema sweep_schema() {
  const Schema grid{{"type", "object"},
                    {"additionalProperties", Schema{{"type", "array"}, {"minItems", 1}}}};
  const Schema item{{"type", "object"}, {"properties", Schema{{"grid", grid}}}};
  const Schema cases{{"type", "array"}, {"minItems", 1}, {"items", item}};
  return {{"anyOf", Schema::array({grid, cases})}};
}

Schema scenario_object() {
  SchemaBuilder builder;
  builder.add({.key = "foretrain", .doc = kVersionDoc, .required = true}, version_schema());
  const Scenario defaults;
  describe(builder, defaults);
  builder.add({.key = "sweep", .doc = kSweepDoc}, sweep_schema());
  return builder.take();
}

Schema machine_object() {
  SchemaBuilder builder;
  builder.add({.key = "foretrain_machine", .doc = "version of the file", .required = true},
              version_schema());
  const Machine defaults;
  describe(builder, defaults);
  return builder.take();
}

}  // namespace

std::string scenario_schema() {
  Schema schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "foretrain scenario"}};
  schema.update(scenario_object());
  return schema.dump(2) + "\n";
}

std::vector<std::string> scenario_keys() {
  static const std::vector<std::string> keys = key_paths(scenario_object());
  return keys;
}

std::vector<std::string> machine_keys() {
  static const std::vector<std::string> keys = key_paths(machine_object());
  return keys;
}

}  // namespace foretrain
