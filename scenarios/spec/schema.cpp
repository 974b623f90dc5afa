// The JSON schemas of scenario files, of machine files.
#include "scenarios/language/schema_builder.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/reference.h"
#include "scenarios/spec/scenario_fields.h"

#include <nlohmann/json.hpp>

namespace foretrain {
namespace {

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
    for (const Schema& choice : *choices) {
      if (choice.contains("properties")) add_paths(choice, path, paths);
    }
  }
  if (const auto items = schema.find("items"); items != schema.end()) {
    add_paths(*items, path + "[]", paths);
  }
  const auto rows = schema.find("additionalProperties");
  if (rows != schema.end() && rows->is_object()) add_paths(*rows, path + ".*", paths);
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

std::vector<std::string> key_paths(const Schema& schema) {
  std::vector<std::string> paths;
  add_paths(schema, "", paths);
  return paths;
}

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
