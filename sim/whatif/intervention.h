// The registry of changes that are tried, one line each.
#pragma once

#include "reports/studies/whatif/whatif_data.h"
#include "sim/history/resource.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::sim {

// Names of scenario_changes that reduce a resource or add one.
inline constexpr std::string_view kSlowerWorker = "one worker 30 % slower";
inline constexpr std::string_view kDoubleCores = "double cores";
inline constexpr std::string_view kDoubleConnections = "double connections";

/// Resources that are made faster together.
struct ResourceChange {
  std::string_view resource;  ///< name in a Limit
  std::string_view name;      ///< name of the change
  std::string_view what;      ///< subject of a sentence
  std::vector<Resource> resources;
  double factor;  ///< factor of the time: 0.5 is twice as fast, 0 is free
};

/// A change of the scenario. Whoever can run the scenario can run the changed one.
struct ScenarioChange {
  std::string name;
  std::string_view what;
  Change::Kind kind;
  /// Applies the change. Returns the reason if it is impossible, "" if it is done, nullopt if it
  /// does not apply or is already in place.
  std::function<std::optional<std::string>(Scenario& scenario)> apply;
  std::string_view statistical_efficiency{};  ///< text of the protocol that it changes to
  bool forecast_alone = false;  ///< cannot be run, so it is left out if gradients are carried out
};

const std::vector<ResourceChange>& resource_changes();
/// Includes one change to each other strategy.
const std::vector<ScenarioChange>& scenario_changes();
/// The change named by `--verify`. @throws InputError that lists the existing ones
const ScenarioChange& change_to_verify(const std::string& name);

// Each of these returns the reason if it is impossible, else "".

/// Sets the number of workers. Added workers get hosts like the last worker's, with as many workers
/// as the host has devices, or else as many as it had workers. Without a cluster they share this
/// machine.
std::string set_workers(Scenario& scenario, int workers);
/// Sets the number of servers. An added server gets a host like the last server's; if that host
/// also has a worker, it gets the host of the next worker without a server.
std::string set_servers(Scenario& scenario, int servers);
/// Sets the strategy. If only the new one needs servers, they are placed on the first worker's
/// host.
std::string set_strategy(Scenario& scenario, std::string_view strategy);

/// Adds changes of sharded state in an all-reduce, of sums within a host before those between
/// hosts, and of a slower link between its devices: one PCI Express 3.0 x16 that all devices of a
/// host share.
void add_changes_among_workers(std::vector<ScenarioChange>& changes);

/// Adds changes of a network that is known by its shape: what is recomputed, the precision.
void add_changes_of_shape(std::vector<ScenarioChange>& changes);

// Used as ScenarioChange::apply. With N workers and P bytes of parameters, p of them in the last
// layer, each worker sends per step (models/protocol/gathers.h)
//
//     optimizer in parts      2 (N - 1) / N x P
//     parameters in parts     (N - 1) / N x (3 P - p)
//
// so with more layers the second approaches 1.5 times the first.

/// Shards only the optimizer's state (ZeRO 1), the default of an all-reduce here.
std::optional<std::string> optimizer_in_parts(Scenario& scenario);
/// Also shards parameters and gradients (ZeRO 3, FSDP).
std::optional<std::string> parameters_in_parts(Scenario& scenario);

}  // namespace foretrain::sim
