#include "scenarios/resolve/least_network.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/placement.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace foretrain {
namespace {

double rate_of(const Scenario& scenario, std::span<const NodePlace> nodes) {
  std::map<std::size_t, double> rates;
  for (const NodePlace& each : nodes) {
    rates[each.host] = scenario.cluster.hosts[each.spec].nic.value;
  }
  double sum = 0;
  for (const auto& [host, rate] : rates) sum += rate;
  return sum;
}

}  // namespace

double least_network_s(const Scenario& scenario, Bytes gradient) {
  const TrainingSpec& training = scenario.training;
  const Protocol& protocol = protocol_called(training.strategy);
  const ClusterSpec& cluster = scenario.cluster;
  const auto bursts = [](const HostSpec& host) { return host.burst.value > 0; };
  if (cluster.hosts.empty() || cluster.topology == "links") return 0;
  if (training.compression.wanted() || std::ranges::any_of(cluster.hosts, bursts)) return 0;
  const std::vector<NodePlace> places = place_nodes(scenario);
  const int count = node_counts(scenario).workers;
  if (protocol.drops(training.protocol.only(protocol.options), count)) return 0;
  const auto workers = std::span(places).first(static_cast<std::size_t>(count));
  std::map<std::size_t, int> senders;  // of each host
  for (const NodePlace& each : workers) {
    int& those = senders[each.host];
    those = training.local_reduction ? 1 : those + 1;
  }
  const auto bytes = static_cast<double>(gradient.value);
  if (!protocol.servers && !protocol.rooted) {
    const auto hosts = static_cast<double>(senders.size());
    if (!protocol.statistical_efficiency.empty()) return 0;
    return 2 * (hosts - 1) * bytes / rate_of(scenario, workers);
  }
  const auto receivers =
      protocol.rooted ? workers.first(1) : std::span(places).subspan(workers.size());
  std::map<std::size_t, int> servers;  // of each host
  for (const NodePlace& each : receivers) ++servers[each.host];
  int all = 0;
  for (const auto& [host, those] : senders) all += those;
  // The part of a gradient in one shard, which differs from others by a bucket.
  const double bucket = static_cast<double>(training.bucket_size.value) / bytes;
  const double shard = bucket > 0 ? 1.0 / static_cast<double>(receivers.size()) + bucket : 1;
  double beside = 0;  // gradients that do not have to leave their host
  for (const auto& [host, those] : servers) {
    const auto workers_here = senders.find(host);
    if (workers_here == senders.end()) continue;
    beside = std::max(beside, protocol.synchronous ? workers_here->second : all * shard * those);
  }
  return std::max(0.0, all - beside) * bytes / rate_of(scenario, receivers);
}

}  // namespace foretrain
