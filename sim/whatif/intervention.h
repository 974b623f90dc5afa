// The changes that are tried, one line of a registry each.
#pragma once

#include "reports/studies/whatif/whatif.h"
#include "sim/history/resource.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::sim {

// Two kinds of scenario_changes: less of a resource, more of one.
inline constexpr std::string_view kSlowerWorker = "one worker 30 % slower";
inline constexpr std::string_view kDoubleCores = "double cores";
inline constexpr std::string_view kDoubleConnections = "double connections";

/// Resources that are made faster together, by themselves.
struct ResourceChange {
  std::string_view resource;  ///< as a Limit calls it
  std::string_view name;      ///< what is done to it
  std::string_view what;      ///< a sentence's subject
  std::vector<Resource> resources;
  double factor;  ///< by which it takes longer: 0.5 is twice as fast, 0 is free
};

/// A change of what is run, or where; whoever can run the one can run the other.
struct ScenarioChange {
  std::string name;
  std::string_view what;
  Change::Kind kind;
  /// Makes it. Returns why it cannot be made, empty where it is; nothing: it is so already.
  std::function<std::optional<std::string>(Scenario& scenario)> apply;
  std::string_view statistical_efficiency{};  ///< as the protocol says that it changes to
  bool forecast_alone = false;  ///< nobody can run it: not offered to who carries gradients out
};

const std::vector<ResourceChange>& resource_changes();
/// With one change to each other strategy.
const std::vector<ScenarioChange>& scenario_changes();
/// The change that `--verify` calls so. @throws InputError that lists those there are
const ScenarioChange& change_to_verify(const std::string& name);

// Each returns why it cannot be; empty: it is done.

/// Puts `workers` on hosts: those that are added are like the last worker's, and get as many as it
/// has devices, or else workers. Where the scenario has no cluster, they share this machine.
std::string set_workers(Scenario& scenario, int workers);
/// The same for servers: one that is added gets a host like the last server's; where that has a
/// worker too, the next worker's host that has no server.
std::string set_servers(Scenario& scenario, int servers);
/// An other strategy, with a server where it needs the first one.
std::string set_strategy(Scenario& scenario, std::string_view strategy);

/// Their lines of the registry: what an all-reduce has in parts; whether the devices
/// of a host add up among themselves before hosts do; what these devices would lose by a slower
/// link, one PCI Express 3.0 x16 that all devices of a host share.
void add_changes_among_workers(std::vector<ScenarioChange>& changes);

// As ScenarioChange::apply. Of N workers with P bytes of parameters, p of which the last layer has,
// each sends in a step (models/protocol/gathers.h)
//
//     optimizer in parts      2 (N - 1) / N x P
//     parameters in parts     (N - 1) / N x (3 P - p)
//
// so the more layers there are, the nearer the second is to 1.5 times the first.

/// The optimizer's state alone (ZeRO 1), as an all-reduce has it here by default.
std::optional<std::string> optimizer_in_parts(Scenario& scenario);
/// Parameters, gradients, too (ZeRO 3, FSDP).
std::optional<std::string> parameters_in_parts(Scenario& scenario);

}  // namespace foretrain::sim
