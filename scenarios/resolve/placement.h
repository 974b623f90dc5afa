// The host, the cores, the device of each node.
#pragma once

#include "scenarios/spec/scenario.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// `dgx-1` for the hosts dgx-1-0, dgx-1-1: without the dash that separates a name that ends in a
/// digit from their numbers (library.h).
std::string kind_of_host(const HostSpec& spec);
/// The name of host number `index` of a `count:`.
std::string host_name(const HostSpec& spec, int index);

/// A node's place.
struct NodePlace {
  std::size_t host = 0;         ///< counted from 0 over all hosts, `count:` expanded
  std::string host_name;        ///< `localhost` without a cluster
  std::size_t spec = 0;         ///< its host in `cluster.hosts`
  int threads = 1;              ///< number of compute threads
  std::vector<int> cores;       ///< of the host, one per thread, from 0; empty before `take_cores`
  std::optional<int> device{};  ///< of the host, for a worker's compute, counted from 0
};

/// The hosts of workers, then of servers, as `placement:` says. By default each host gets the same
/// number of workers, or one per device, with consecutive ranks; servers go to the hosts after
/// those. Without a cluster, all nodes are on one host. Workers of a host with devices take them in
/// turn.
std::vector<NodePlace> place_nodes(const Scenario& scenario);

/// Gives each node its cores, one per thread: a host's nodes take its cores round robin, after the
/// cores of `others`, the nodes of another training on the same hosts. Without a cluster, the
/// single host has `own_cores`.
void take_cores(std::vector<NodePlace>& places, const ClusterSpec& cluster, int own_cores,
                const std::vector<NodePlace>& others = {});

/// The number of workers per host, if all hosts have the same number, each worker has a device, and
/// the ranks of a host are consecutive; else 0.
int devices_a_host(std::span<const NodePlace> workers);

/// Writes the host of every node into `placement:`, so that adding nodes moves none of them.
void write_placement(Scenario& scenario);

struct NodeCounts {
  int workers = 1;
  int servers = 0;  ///< shards of the parameters

  [[nodiscard]] int nodes() const { return workers + servers; }
};

/// `training.workers` and `training.servers` as the strategy uses them: one worker or no server if
/// it does not use several. For a prepared case, `Training` has them.
NodeCounts node_counts(const Scenario& scenario);

}  // namespace foretrain
