// Translates a described struct to JSON Schema.
#pragma once

#include "scenarios/language/field.h"
#include "scenarios/language/scalars.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {

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
    Schema item = with_shorthands(rule, object_of(T{}));
    if (!rule.library.empty()) allow_like(item);
    add(rule, {{"type", "array"}, {"items", std::move(item)}});
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
    for (const std::string_view key : {rule.shorthand, rule.list_shorthand}) {
      if (!key.empty()) choices.push_back(object["properties"][std::string(key)]);
    }
    if (choices.empty()) return object;
    choices.insert(choices.begin(), std::move(object));
    return {{"anyOf", std::move(choices)}};
  }

  /// Allows `like` (Field::library) in the object, which then has no required keys.
  static void allow_like(Schema& object) {
    object["properties"]["like"] = {{"type", "string"}, {"description", kLikeDoc}};
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

/// Every key path that a schema allows: `training.workers`, `cluster.hosts[].nic`,
/// `models.*.gradient.overhead`.
std::vector<std::string> key_paths(const Schema& schema);

}  // namespace foretrain
