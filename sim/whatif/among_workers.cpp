// Changes of the exchange among workers without a server.
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/placement.h"
#include "sim/whatif/intervention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace foretrain::sim {
namespace {

// PCI Express 3.0, 2010: 16 lanes of 8 GT/s, 128 bits of 130. One root for all devices, as in
// scenarios/hardware for hosts without another link.
constexpr BytesPerSecond kPcie{15.75e9};

std::vector<NodePlace> places_of_workers(const Scenario& scenario) {
  std::vector<NodePlace> places = place_nodes(scenario);
  places.resize(static_cast<std::size_t>(node_counts(scenario).workers));
  return places;
}

std::optional<std::string> set_shard(Scenario& scenario, std::string_view shard) {
  if (!protocol_called(scenario.training.strategy).shards) return std::nullopt;
  if (node_counts(scenario).workers == 1) return std::nullopt;  // it has everything
  if (scenario.training.shard == shard) return std::nullopt;
  scenario.training.shard = shard;
  const auto against = against_shard(scenario);
  return against ? fmt::format("{} is set: {}", against->key, against->what) : "";
}

std::optional<std::string> set_group(Scenario& scenario) {
  if (!reads(protocol_called(scenario.training.strategy), kGroup)) return std::nullopt;
  const std::vector<NodePlace> workers = places_of_workers(scenario);
  const int group = devices_a_host(workers);
  if (group < 2 || group == std::ssize(workers)) return std::nullopt;
  ProtocolOptions& options = scenario.training.protocol;
  if (options.integer(kGroup) == group) return std::nullopt;
  options.set(kGroup, std::int64_t{group});
  const auto against = against_shard(scenario);
  return against ? fmt::format("training.shard is set: {}", against->what) : "";
}

std::optional<std::string> groups_of_devices(Scenario& scenario) {
  if (scenario.training.shard == "parameters") return std::nullopt;
  return set_group(scenario);
}

std::optional<std::string> replicas_of_hosts(Scenario& scenario) {
  if (scenario.training.shard != "parameters") return std::nullopt;
  return set_group(scenario);
}

// Applies if a host has several workers on devices with a link faster than PCI Express. Workers
// that push individually do not exchange anything, so the change has no effect on them.
std::optional<std::string> devices_on_pcie(Scenario& scenario) {
  const TrainingSpec& training = scenario.training;
  if (protocol_called(training.strategy).servers && !training.local_reduction) return std::nullopt;
  std::set<std::size_t> taken;
  bool any = false;
  for (const NodePlace& place : places_of_workers(scenario)) {
    if (!place.device) continue;
    const bool several = !taken.insert(place.host).second;
    any = any || (several && scenario.cluster.hosts[place.spec].device_link.rate > kPcie);
  }
  if (!any) return std::nullopt;
  for (HostSpec& host : scenario.cluster.hosts) {
    if (host.device_link.rate > kPcie) {
      host.device_link = {kPcie, host.device_link.latency, true};
    }
  }
  return "";
}

}  // namespace

std::optional<std::string> optimizer_in_parts(Scenario& scenario) {
  return set_shard(scenario, TrainingSpec{}.shard);
}

std::optional<std::string> parameters_in_parts(Scenario& scenario) {
  return set_shard(scenario, "parameters");
}

void add_changes_among_workers(std::vector<ScenarioChange>& changes) {
  using Kind = Change::Kind;
  changes.push_back({"groups of a host's devices",
                     "the devices of a host add up their gradients before hosts do", Kind::training,
                     groups_of_devices});
  changes.push_back({"a replica a host (HSDP)",
                     "parameters "
                     "sharded within each host, so gathers stay there; takes more memory",
                     Kind::training, replicas_of_hosts});
  changes.push_back({"optimizer in parts (ZeRO 1)",
                     "the optimizer's state sharded among workers: the same bytes as an all-reduce",
                     Kind::training,
                     optimizer_in_parts,
                     {},
                     true});
  changes.push_back({"parameters in parts (FSDP)",
                     "parameters sharded among workers, each layer gathered twice: up to 1.5 times "
                     "the bytes of an all-reduce",
                     Kind::training,
                     parameters_in_parts,
                     {},
                     true});
  changes.push_back({"devices on 15.75 GB/s PCIe",
                     "without the devices' own link: a PCI Express 3.0 x16 that all devices of a "
                     "host share",
                     Kind::cluster,
                     devices_on_pcie,
                     {},
                     true});
}

}  // namespace foretrain::sim
