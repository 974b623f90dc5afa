#include "sim/world/fold.h"

#include "models/protocol/route.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace foretrain::sim {
namespace {

/// Nothing happens to one worker alone on the way.
bool is_even(const Scenario& scenario, const Training& training) {
  const bool draws = !scenario.stragglers.empty() || !scenario.faults.empty();
  return !draws && training.evaluate_every == 0 && !training.target.wanted() &&
         !training.checkpoint.wanted() && scenario.colocated_jobs.empty() &&
         !scenario.dataset.input.costs() && scenario.framework.session_host.empty();
}

/// The number of hosts if they are alike, but for their names, and do not fail; else 0.
int alike_hosts(const ClusterSpec& cluster) {
  int hosts = 0;
  for (HostSpec each : cluster.hosts) {
    const HostSpec& first = cluster.hosts.front();
    hosts += std::exchange(each.count, first.count);
    each.name = first.name;
    if (each != first || each.mtbf.ns != 0) return 0;
  }
  return hosts;
}

/// The number of hosts in a unit: 1 at a single switch, those of a leaf if full leaves are joined
/// by one spine; 0 if hosts have unlike places in the network.
int hosts_of_unit(const ClusterSpec& cluster) {
  const int hosts = alike_hosts(cluster);
  if (hosts == 0) return 0;
  const LeafSpineSpec& leaves = cluster.leaf_spine;
  if (cluster.topology == "star") return 1;
  if (cluster.topology != "leaf_spine") return 0;
  if (hosts <= leaves.hosts_per_leaf) return 1;
  return leaves.spines == 1 && hosts % leaves.hosts_per_leaf == 0 ? leaves.hosts_per_leaf : 0;
}

/// The workers of a host, if each host has as many, with consecutive numbers; else 0.
int workers_a_host(const std::vector<NodePlace>& places) {
  const auto workers = static_cast<int>(places.size());
  const auto first = std::ranges::count(places, places.front().host, &NodePlace::host);
  const int each = static_cast<int>(first);
  if (workers % each != 0) return 0;
  for (int worker = 0; worker < workers; ++worker) {
    const NodePlace& place = places[static_cast<std::size_t>(worker)];
    const NodePlace& image = places[static_cast<std::size_t>(worker % each)];
    if (place.host != static_cast<std::size_t>(worker / each)) return 0;
    if (place.device != image.device || place.threads != image.threads) return 0;
  }
  return each;
}

}  // namespace

std::optional<Fold> Fold::of(const Prepared& prepared) {
  const Training& training = *prepared.training;
  const Scenario& scenario = prepared.scenario_case.scenario;
  const Layout& layout = *training.layout;
  if (!layout.padded || layout.trees) return std::nullopt;
  // Gathers go round a ring even where sums go over a hypercube.
  const bool hypercube = Ways::of(training, layout.buckets.front()).hypercube;
  if (hypercube && training.gathers()) return std::nullopt;
  const int places = is_even(scenario, training) ? hosts_of_unit(scenario.cluster) : 0;
  const int of_host = workers_a_host(prepared.places);
  // Threads that share a core take turns at the same instant in an order that hosts do not share.
  if (places * of_host == 0 || of_host > scenario.cluster.hosts.front().cores) return std::nullopt;
  const auto group = static_cast<int>(training.options.integer(kGroup));
  const int each = places * of_host;
  // Hosts without workers, of a leaf with others, break the symmetry.
  if (each >= training.workers || training.workers % each != 0) return std::nullopt;
  if (of_host % group != 0) return std::nullopt;
  return Fold(training.workers, each, places, hypercube);
}

void Fold::shift(NodeId& from, NodeId& to, Message& message) const {
  const auto all = static_cast<std::uint32_t>(all_);
  const std::uint32_t by = index_of(to) - index_of(image(to));
  if (by == 0) return;
  const auto shifted = [&](std::uint32_t worker) {
    return hypercube_ ? worker ^ by : (worker + all - by) % all;
  };
  to = image(to);
  from = NodeId{shifted(index_of(from))};
  const std::uint32_t owner = message.bucket % all;
  message.bucket += shifted(owner) - owner;
}

}  // namespace foretrain::sim
