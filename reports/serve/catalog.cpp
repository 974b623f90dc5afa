// The catalog: the library's scenarios, its hosts, the strategies.
#include "models/protocol/registry.h"
#include "reports/serve/routes.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/units.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kQuickstart = "scenarios/quickstart.yaml";

/// True if simulations of its cases answer the example's question, as those of `whatif` do not;
/// false for inputs of tests.
bool is_shown(const Example& example) {
  const std::size_t folder = example.name.rfind('/');
  return folder == std::string::npos || example.name.starts_with("studies/");
}

Json scenario_on_shelf(const std::string& file, const std::string& question) {
  return {{"file", file}, {"question", question}, {"text", read_text(in_library(file))}};
}

Json host_on_shelf(const HostSpec& host) {
  return {{"name", host.name},
          {"nic", to_text(host.nic)},
          {"devices", host.devices},
          {"price", host.price.per_hour > 0 ? Json(price_to_text(host.price)) : Json()}};
}

}  // namespace

Json catalog_json(const std::string& first) {
  Json json;
  json["first"] = first.empty() ? kQuickstart : first;
  json["scenarios"] = Json::array();
  bool known = first.empty();
  for (const Example& example : library_examples()) {
    if (!is_shown(example)) continue;
    const std::string file = fmt::format("scenarios/{}.yaml", example.name);
    known = known || file == first;
    json["scenarios"].push_back(scenario_on_shelf(file, example.question));
  }
  if (!known) json["scenarios"].insert(json["scenarios"].begin(), scenario_on_shelf(first, ""));
  json["hosts"] = Json::array();
  for (const HostSpec& host : library_hosts()) json["hosts"].push_back(host_on_shelf(host));
  json["strategies"] = Json::array();
  for (const Protocol& protocol : protocols()) {
    json["strategies"].push_back({{"name", protocol.name}, {"doc", protocol.doc}});
  }
  return json;
}

}  // namespace foretrain::serve
