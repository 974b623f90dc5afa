#include "scenarios/resolve/price.h"

namespace foretrain {

Price price_per_hour(const Scenario& scenario, const std::set<std::string>& hosts) {
  Price all;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (host.price.per_hour == 0) continue;
    for (int index = 0; index < host.count; ++index) {
      if (!hosts.contains(host_name(host, index))) continue;
      all.per_hour += host.price.per_hour;
      all.currency = host.price.currency;
    }
  }
  return all;
}

Price price_per_hour(const Prepared& prepared) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  std::set<std::string> used{scenario.dataset.input.served_by};
  for (const NodePlace& place : prepared.places) used.insert(place.host_name);
  return price_per_hour(scenario, used);
}

}  // namespace foretrain
