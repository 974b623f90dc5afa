#include "scenarios/resolve/emulated.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace foretrain {
namespace {
constexpr Bytes kLeastBurst{32'000};
constexpr double kBurstSeconds = 1e-3;
constexpr int kHostsMost = 250;             // in one /24 network; a bridge supports 1023
constexpr BytesPerSecond kFastest{12.5e9};  // 100 Gbit/s: software forwards no more
}  // namespace

Bytes emulated_burst(const HostSpec& host) {
  if (host.burst.value > 0) return host.burst;
  return std::max(kLeastBurst, Bytes{std::llround(host.nic.value * kBurstSeconds)});
}

void check_emulated(const ClusterSpec& cluster) {
  if (cluster.hosts.empty()) {
    throw InputError(
        "--emulate: the scenario has no hosts; describe them in cluster:, or leave --emulate out");
  }
  if (cluster.topology != "star") {
    throw InputError(fmt::format("--emulate: cannot emulate topology {}; use star, or simulate",
                                 cluster.topology));
  }
  int hosts = 0;
  for (const HostSpec& host : cluster.hosts) {
    hosts += host.count;
    if (host.devices > 0) {
      throw InputError(fmt::format(
          "--emulate: host {} has devices, which cannot be emulated; remove them, or simulate",
          host.name));
    }
    if (host.flow_rate.value > 0) {
      throw InputError(fmt::format(
          "--emulate: host {} has a flow_rate, which cannot be emulated; remove it, or simulate",
          host.name));
    }
    if (host.rdma()) {
      throw InputError(fmt::format(
          "--emulate: host {} has transport rdma, which cannot be emulated; remove it, or simulate",
          host.name));
    }
    if (host.nic <= kFastest) continue;
    throw InputError(fmt::format(
        "--emulate: the nic of host {} is above 100 Gbps, which cannot be emulated; write a slower "
        "one, or simulate",
        host.name));
  }
  if (hosts <= kHostsMost) return;
  throw InputError(
      fmt::format("--emulate: {} hosts; one machine takes at most {}; simulate larger clusters",
                  hosts, kHostsMost));
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
