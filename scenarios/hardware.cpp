#include "scenarios/hardware.h"

#include "scenarios/describe/cluster_fields.h"
#include "scenarios/describe/reader.h"
#include "scenarios/like.h"
#include "scenarios/schema.h"

#include <fmt/format.h>

#include <string>

namespace foretrain {
namespace {

HostSpec host_of_library(const std::string& name) {
  const Value root =
      parse_yaml(fmt::format("hosts: [{{like: '{}', name: '{}'}}]\n", name, name), name);
  Reading reading(scenario_keys());
  Reader reader(reading, root, "cluster");
  ClusterSpec cluster;
  describe(reader, cluster);
  reader.finish();
  reading.check_all_used();
  return cluster.hosts.front();
}

}  // namespace

std::vector<HostSpec> library_hosts() {
  const std::vector<std::string> names = library_names("hardware");
  std::vector<HostSpec> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) hosts.push_back(host_of_library(name));
  return hosts;
}

}  // namespace foretrain
