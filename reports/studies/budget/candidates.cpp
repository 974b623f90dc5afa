// The clusters that a training may be rented on, with the ways to train there.
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "reports/studies/budget/budget.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/counted_network.h"
#include "scenarios/resolve/equal_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

/// Whether gradient times were measured on a device, not derived from operations.
bool timed_on_device(const Scenario& scenario) {
  const auto& hosts = scenario.cluster.hosts;
  return scenario.model.profiled() ||
         std::ranges::any_of(hosts, [](const HostSpec& h) { return h.compute.has_value(); });
}

/// Why a host cannot be tried; empty if it can.
std::string why_not_tried(const Scenario& scenario, const HostSpec& host) {
  if (host.price.per_hour <= 0) return "it has no price in the library";
  const bool needs_device = timed_on_device(scenario);
  const std::string& precision = scenario.model.precision;
  if (scenario.model.by_shape() && host.devices > 0 && peak_of(host, precision) == 0) {
    return fmt::format("its devices have no figures in {}", precision);
  }
  if (needs_device && host.devices == 0) {
    return "it has no devices, but the profile was measured on one";
  }
  return {};
}

const HostSpec& host_called(const std::vector<HostSpec>& library, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(library.size());
  for (const HostSpec& host : library) names.push_back(host.name);
  const auto found = std::ranges::find(library, in_any_case(name, names), &HostSpec::name);
  if (found != library.end()) return *found;
  const std::string near = nearest(name, names);
  throw InputError(fmt::format("--hosts: the library has no {}; {}there are {}", name,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near),
                               fmt::join(names, ", ")));
}

/// @throws InputError if no host is tried, or their prices are in different currencies
void check_tried(const std::vector<LibraryHost>& hosts) {
  const HostSpec* first = nullptr;
  for (const auto& [host, why_not] : hosts) {
    if (!why_not.empty()) continue;
    if (first == nullptr) first = &host;
    if (host.price.currency == first->price.currency) continue;
    const auto called = [](const HostSpec& h) {
      return h.price.currency.empty() ? "no currency" : h.price.currency;
    };
    throw InputError(
        fmt::format("--hosts: the price of {} is in {}, that of {} in {}; name hosts of one "
                    "currency",
                    host.name, called(host), first->name, called(*first)));
  }
  if (first == nullptr) {
    throw InputError("the library has no rented host that can run this training");
  }
}

/// Strategies that learn as synchronous SGD does, those they are weighed against, the scenario's.
std::vector<const Protocol*> strategies_to_try(const Scenario& scenario) {
  const auto like_sync = [](const Protocol& p) {
    // An all-reduce makes the same updates in less time than a root.
    return p.several_workers && p.synchronous && !p.rooted && p.statistical_efficiency.empty();
  };
  std::set<std::string_view> weighed;
  for (const Protocol& protocol : protocols()) {
    if (like_sync(protocol)) weighed.insert(protocol.weighed_against);
  }
  std::vector<const Protocol*> chosen;
  for (const Protocol& protocol : protocols()) {
    const bool own = protocol.name == scenario.training.strategy && protocol.several_workers;
    if (like_sync(protocol) || weighed.contains(protocol.name) || own) chosen.push_back(&protocol);
  }
  return chosen;
}

std::vector<int> batches_to_try(const Scenario& scenario) {
  const int batch = scenario.training.batch_size;
  Scenario larger = scenario;
  if (!set_batch(larger, 2 * batch).empty()) return {batch};
  if (batch == 1) return {batch, 2};
  return {batch, 2 * batch, batch / 2};
}

/// Numbers of servers; only 0 if the strategy has none.
std::vector<int> servers_to_try(const Protocol& protocol, int hosts) {
  if (!protocol.servers) return {0};
  std::vector<int> servers;
  for (int count = 1; count <= hosts; count *= 2) servers.push_back(count);
  return servers;
}

ProtocolOptions options_for(const Scenario& scenario, const Protocol& protocol, int group) {
  ProtocolOptions options = scenario.training.protocol.only(protocol.options);
  if (reads(protocol, kGroup)) options.set(kGroup, std::int64_t{group});
  return options;
}

}  // namespace

std::string name_of(const RentedCluster& cluster) {
  return fmt::format("{} x {}", cluster.host, cluster.hosts);
}

std::string way_of(const RentedCluster& cluster) {
  if (cluster.servers > 0) {
    return fmt::format("{}, {} server{}", cluster.strategy, cluster.servers,
                       cluster.servers > 1 ? "s" : "");
  }
  if (cluster.group > 1) return fmt::format("{}, groups of {}", cluster.strategy, cluster.group);
  return cluster.strategy;
}

std::vector<LibraryHost> hosts_to_try(const Case& base, const std::vector<HostSpec>& library,
                                      const std::vector<std::string>& names) {
  std::vector<LibraryHost> found;
  for (const std::string& name : names) {
    const HostSpec& host = host_called(library, name);
    const std::string why = why_not_tried(base.scenario, host);
    if (!why.empty()) throw InputError(fmt::format("--hosts: {}: {}; leave it out", name, why));
    if (std::ranges::find(found, host, &LibraryHost::host) != found.end()) {
      throw InputError(fmt::format("--hosts: {} is named twice; write it once", name));
    }
    found.push_back({host, {}});
  }
  for (const HostSpec& host : names.empty() ? library : std::vector<HostSpec>()) {
    std::string why = why_not_tried(base.scenario, host);
    if (why.empty() && host.bought) {
      why = fmt::format("it is bought, not rented (--hosts {} tries it)", host.name);
    }
    found.push_back({host, std::move(why)});
  }
  check_tried(found);
  return found;
}

std::vector<int> host_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

std::vector<RentedCluster> clusters_of(const Case& base, const HostSpec& host, int hosts) {
  const Scenario& scenario = base.scenario;
  const int devices = std::max(1, host.devices);
  const int workers = hosts * devices;
  const std::vector<int> batches = batches_to_try(scenario);
  // Packed pushes need servers; compression by a ratio works with any strategy.
  const Compression& compression = scenario.training.compression;
  const bool packed = compression.wanted() && !compression.only_sizes();
  std::vector<RentedCluster> clusters;
  for (const Protocol* protocol : strategies_to_try(scenario)) {
    if (protocol->servers && (workers == 1 || scenario.model.by_shape())) continue;
    if (packed && !protocol->servers) continue;
    const bool grouped = hosts > 1 && devices > 1 && reads(*protocol, kGroup);
    std::vector<int> groups{grouped ? devices : 1};
    // Replicas of the parameters in each host need more memory than parts over all.
    if (grouped && scenario.training.shard == "parameters") groups.push_back(1);
    for (const int group : groups) {
      if (protocol->wrong(options_for(scenario, *protocol, group), workers)) continue;
      for (const int servers : servers_to_try(*protocol, hosts)) {
        for (const int batch : batches) {
          clusters.push_back(
              {host.name, hosts, workers, std::string(protocol->name), servers, group, batch});
        }
      }
    }
  }
  return clusters;
}

Case case_on(const Case& base, const HostSpec& host, const RentedCluster& cluster,
             double examples) {
  Case on = base;
  Scenario& scenario = on.scenario;
  set_batch(scenario, cluster.batch_size);
  HostSpec rented = host;
  std::string& rates = scenario.model.profile_network;
  const auto of_network = [&](const MeasuredNetwork& row) { return row.network == rates; };
  if (std::ranges::none_of(rented.measured, of_network)) rates.clear();
  rented.count = cluster.hosts;
  for (const HostSpec& own : base.scenario.cluster.hosts) rented.compute = own.compute;
  // Separates the name from a host number: host 0 of p3 must not read as p30.
  if (rented.count > 1) rented.name += '-';
  scenario.cluster.hosts = {std::move(rented)};
  check_measured(on);
  scenario.cluster.placement = {};
  TrainingSpec& training = scenario.training;
  training.strategy = cluster.strategy;
  training.workers = cluster.workers;
  if (cluster.servers > 0) training.servers = cluster.servers;
  training.protocol = options_for(base.scenario, protocol_called(cluster.strategy), cluster.group);
  keep_examples(scenario, base.scenario, examples);
  return on;
}

}  // namespace foretrain
