// The rules for measured rows of networks.
#include "scenarios/language/propose.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/spec/measured_networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

void check_each_once(const Case& c, std::size_t host) {
  const auto& rows = c.scenario.cluster.hosts[host].measured;
  const auto key_of = [&](std::size_t row) {
    return fmt::format("cluster.hosts[{}].measured[{}].batch_size", host, row);
  };
  std::map<std::pair<std::string, int>, std::size_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [first, fresh] = found.emplace(std::pair(rows[i].network, rows[i].batch_size), i);
    if (fresh) continue;
    const std::string place = c.place_of(key_of(first->second));
    fail(c, key_of(i),
         fmt::format("a second row of {} at {}{}; keep one", rows[i].network, rows[i].batch_size,
                     place.empty() ? "" : fmt::format(" (the first: {})", place)));
  }
}

/// Checks that at least one host has rows of the network.
void check_known(const Case& c) {
  const std::string& network = c.scenario.model.profile_network;
  std::vector<MeasuredNetwork> all;
  for (const HostSpec& host : c.scenario.cluster.hosts) {
    all.insert(all.end(), host.measured.begin(), host.measured.end());
  }
  const std::vector<std::string> known = networks_in(all);
  if (std::ranges::find(known, network) != known.end()) return;
  if (known.empty()) {
    fail(
        c, "model.profile_network",
        fmt::format("{}, but no host has measured: rates; write measured: for a host, or remove it",
                    network));
  }
  const std::string near = nearest(network, known);
  fail(c, "model.profile_network",
       fmt::format("{} was not measured on these hosts; {}measured are {}", network,
                   near.empty() ? "" : fmt::format("did you mean {}? ", near),
                   fmt::join(known, ", ")));
}

/// Sets the name of measured rows for a network of the library that a host was measured with:
/// resnet50, resnet50_amp below 32 bits. Rows of text are of other lengths than `sequence`, so
/// their names are others, too (bert_base).
void take_measured(Scenario& scenario) {
  ModelSpec& model = scenario.model;
  const bool measured = model.precision != "fp8" && model.attention == "fused" &&
                        scenario.training.recompute == "none";
  if (model.network.empty() || !model.profile_network.empty() || !measured) return;
  std::string name = model.network;
  std::ranges::replace(name, '-', '_');
  if (model.precision == "fp16" || model.precision == "bf16") name += "_amp";
  for (const HostSpec& host : scenario.cluster.hosts) {
    const auto of_network = [&](const MeasuredNetwork& row) { return row.network == name; };
    if (std::ranges::any_of(host.measured, of_network)) model.profile_network = name;
  }
}

}  // namespace

void check_measured(Case& scenario_case) {
  Scenario& scenario = scenario_case.scenario;
  take_measured(scenario);
  auto& hosts = scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) check_each_once(scenario_case, i);
  const std::string& network = scenario.model.profile_network;
  // A job without a cluster may get hosts with such rows later.
  if (!network.empty() && !hosts.empty()) check_known(scenario_case);
  if (!scenario.colocated_jobs.empty()) return;  // neighbours may use other networks
  for (HostSpec& host : hosts) keep_network(host.measured, network);
}

}  // namespace foretrain
