#include "scenarios/price.h"

#include <set>
#include <string>

namespace foretrain {

double price_per_hour(const Prepared& prepared) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  if (scenario.cluster.hosts.empty()) return 0;
  std::set<std::string> used{scenario.dataset.input.served_by};
  for (const NodePlace& place : prepared.places) used.insert(place.host_name);
  double price = 0;
  for (const HostSpec& host : scenario.cluster.hosts) {
    for (int index = 0; index < host.count; ++index) {
      if (used.contains(host_name(host, index))) price += host.price;
    }
  }
  return price;
}

}  // namespace foretrain
