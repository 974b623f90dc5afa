#include "scenarios/hardware.h"

#include "scenarios/like.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <string>

namespace foretrain {

std::vector<HostSpec> library_hosts() {
  std::vector<HostSpec> hosts;
  for (const std::string& name : library_names("hardware")) {
    const std::string text =
        fmt::format("foretrain: 1\ncluster: {{hosts: [{{like: '{}', name: '{}'}}]}}\n", name, name);
    hosts.push_back(parse_scenario(text, name).front().scenario.cluster.hosts.front());
  }
  return hosts;
}

}  // namespace foretrain
