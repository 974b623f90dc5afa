#include "exec/launch/descriptors.h"

#include "exec/metrics/endpoint.h"
#include "exec/transport/lobby.h"
#include "models/protocol/registry.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>

namespace foretrain::exec {
namespace {

// Beside connections: the standard three, an event loop's four, a door, files of data sets, of the
// record, of metrics; strangers, who may connect, too, to the nodes' door or to that of metrics.
constexpr std::size_t kBeside = 32 + kMostStrangers + kMostMetricsClients;

}  // namespace

int descriptors_need(const Training& training, std::size_t hosts) {
  constexpr std::size_t kOfHost = 2;  // its network, the door there
  std::size_t most = static_cast<std::size_t>(training.nodes()) + kOfHost * hosts;
  for (int node = 0; node < training.nodes(); ++node) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    most = std::max(most, peers_of(training, id).size() + 1);  // and the launcher
  }
  return static_cast<int>(most + kBeside);
}

void allow_descriptors(int need) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;  // then whoever opens too many is told so
  const rlim_t soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = soft;
  if (limit.rlim_cur >= static_cast<rlim_t>(need)) return;
  throw InputError(fmt::format(
      "a process of this training has up to {} files and connections open at once, and this one "
      "may have {}; raise the hard limit (ulimit -Hn), or take fewer workers and servers",
      need, limit.rlim_cur));
}

}  // namespace foretrain::exec
