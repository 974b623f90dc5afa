// Which host each node of a training is on, which of its cores it takes.
#pragma once

#include "scenarios/scenario.h"

#include <cstddef>
#include <string>
#include <vector>

namespace foretrain {

/// What the host number `index` of a `count:` is called.
std::string host_name(const HostSpec& spec, int index);

/// A node's place.
struct NodePlace {
  std::size_t host = 0;    ///< counted from 0 over all hosts, `count:` expanded
  std::string host_name;   ///< `localhost` without a cluster
  std::size_t spec = 0;    ///< its host in `cluster.hosts`
  std::vector<int> cores;  ///< of the host, one a thread, counted from 0
};

/// Workers, then servers, as `placement:` says; left out, on the hosts in turn. A host's nodes take
/// its cores round robin, a worker one for each of its threads. Without a cluster, one host of
/// `own_cores` has them all.
/// Cores go on after those that `others` have, of another training on the same hosts.
std::vector<NodePlace> place_nodes(const Scenario& scenario, int own_cores,
                                   const std::vector<NodePlace>& others = {});

}  // namespace foretrain
