#include "scenarios/emulated.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace foretrain {
namespace {
constexpr Bytes kLeastBurst{32'000};
constexpr double kBurstSeconds = 1e-3;
}  // namespace

Bytes emulated_burst(const HostSpec& host) {
  if (host.burst.value > 0) return host.burst;
  return std::max(kLeastBurst, Bytes{std::llround(host.nic.value * kBurstSeconds)});
}

ClusterSpec emulated(ClusterSpec cluster) {
  for (HostSpec& host : cluster.hosts) host.burst = emulated_burst(host);
  return cluster;
}

void share_cores(std::vector<NodePlace>& places, int cores) {
  std::map<std::pair<std::size_t, int>, int> core_of;
  for (NodePlace& place : places) {
    for (int& core : place.cores) {
      const int next = static_cast<int>(core_of.size()) % cores;
      core = core_of.try_emplace({place.host, core}, next).first->second;
    }
  }
}

}  // namespace foretrain
