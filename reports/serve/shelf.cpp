#include "reports/serve/shelf.h"

#include "models/protocol/registry.h"
#include "scenarios/hardware.h"
#include "scenarios/library.h"
#include "scenarios/like.h"
#include "scenarios/units.h"
#include "scenarios/yaml/text_guard.h"
#include "scenarios/yaml/value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kQuickstart = "scenarios/quickstart.yaml";

/// The value of a key at the top of a scenario; empty where there is none.
std::string key_at_top(const Value& root, std::string_view key) {
  const Entry* entry = root.find(key);
  return entry == nullptr ? std::string() : entry->value.text;
}

Json scenario_on_shelf(const std::string& file) {
  const std::string text = read_text(in_library(file));
  const Value root = parse_yaml(text, file);
  return {{"file", file},
          {"name", key_at_top(root, "name")},
          {"question", key_at_top(root, "question")},
          {"text", text}};
}

Json host_on_shelf(const HostSpec& host) {
  return {{"name", host.name},
          {"nic", to_text(host.nic)},
          {"devices", host.devices},
          {"price", host.price > 0 ? Json(price_to_text(host.price)) : Json()}};
}

}  // namespace

Json shelf_json(const std::string& first) {
  // Those that answer a question of their own by one simulation; not what tests of the program run.
  constexpr const char* kFolders[] = {"", "studies/", "whatif/"};
  std::vector<std::string> files;
  for (const std::string folder : kFolders) {
    for (const std::string& name : library_names(folder)) {
      files.push_back(fmt::format("scenarios/{}{}.yaml", folder, name));
    }
  }
  const bool own = !first.empty() && std::ranges::find(files, first) == files.end();
  if (own) files.insert(files.begin(), first);
  Json json;
  json["first"] = first.empty() ? kQuickstart : first;
  json["scenarios"] = Json::array();
  for (const std::string& file : files) json["scenarios"].push_back(scenario_on_shelf(file));
  json["hosts"] = Json::array();
  for (const HostSpec& host : library_hosts()) json["hosts"].push_back(host_on_shelf(host));
  json["strategies"] = Json::array();
  for (const Protocol& protocol : protocols()) {
    json["strategies"].push_back({{"name", protocol.name},
                                  {"doc", protocol.doc},
                                  {"several_workers", protocol.several_workers},
                                  {"servers", protocol.servers}});
  }
  return json;
}

}  // namespace foretrain::serve
