// The hosts that a scaffold names, with its workers on them.
#pragma once

#include "scenarios/scaffold/scaffold.h"
#include "scenarios/spec/cluster.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The name of the user's own machines, as the draft calls them.
inline constexpr std::string_view kOwnHost = "mine";

/// Hosts of the library, or kOwnHost, with their number.
struct HostsAsked {
  std::string name;
  int count = 1;
};
/// Reads `dgx-1 x 4`, `dgx-1x4`, `4 x dgx-1`, `4 dgx-1`, or `4 machines of mine`; a name alone is
/// one host. A name of the library is read in any case. @throws InputError for a number that is no
/// number of hosts
HostsAsked asked_hosts(std::string_view cluster);
/// The names that `--cluster` takes.
std::vector<std::string> host_words();

/// The placement of the workers.
struct ScaffoldPlace {
  HostsAsked hosts;
  HostSpec host;  ///< as the library has it
  bool here = true;
  int workers = 2;  ///< on this machine: as many as fit without a cluster

  [[nodiscard]] bool own() const { return hosts.name == kOwnHost; }
  [[nodiscard]] bool devices() const { return host.devices > 0; }
};
ScaffoldPlace draft_place(const std::string& cluster);

/// 1, 2, 4, ... and all workers; up to 3 on this machine.
std::vector<int> worker_counts(const ScaffoldPlace& place);

}  // namespace foretrain
