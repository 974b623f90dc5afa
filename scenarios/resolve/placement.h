// Which host each node of a training is on, which of its cores it takes.
#pragma once

#include "scenarios/spec/scenario.h"

#include <cstddef>
#include <optional>
#include <span>
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
  int threads = 1;         ///< that it computes with
  std::vector<int> cores;  ///< of the host, one a thread, counted from 0; none before `take_cores`
  std::optional<int> device{};  ///< of the host, that a worker computes on, counted from 0
};

/// The hosts of workers, then servers, as `placement:` says. Left out, each host has equally many
/// workers, or as many as it has devices, neighbours in rank; servers are on the hosts after those.
/// Without a cluster, one host has them all. Where a host has devices, its workers take them in
/// turn.
std::vector<NodePlace> place_nodes(const Scenario& scenario);

/// Gives nodes their cores: a host's nodes take its cores round robin, one for each thread, after
/// those that `others` have, of another training on the same hosts. Without a cluster, the one host
/// has `own_cores`.
void take_cores(std::vector<NodePlace>& places, const ClusterSpec& cluster, int own_cores,
                const std::vector<NodePlace>& others = {});

/// Workers of each host, where all hosts have as many, on devices, neighbours in rank; else 0.
int devices_a_host(std::span<const NodePlace> workers);

/// Writes down in `placement:` where every node is, so that more of them move none.
void write_placement(Scenario& scenario);

}  // namespace foretrain
