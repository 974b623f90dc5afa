// What the page's controls change of a scenario, as --set takes it.
#pragma once

#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {

/// Empty: as the scenario has it.
struct Controls {
  std::optional<int> workers;
  std::optional<int> servers;
  std::optional<int> batch_size;
  std::string strategy;
  std::string host;          ///< of the library: such hosts in place of the cluster
  std::optional<int> hosts;  ///< of them, or of the scenario's own where they are of one kind;
                             ///< empty: as many as the workers take, or as it has
  std::optional<double> nic_gbps;    ///< of every host
  std::optional<double> latency_us;  ///< of every host, one way to the switch
  /// Sigma of a lognormal factor of every gradient, in place of `stragglers:`; 0: none straggles.
  std::optional<double> straggling;
  std::vector<std::string> set;  ///< KEY=VALUE, after all others
};

/// @throws InputError where `json` says something else
Controls read_controls(const nlohmann::ordered_json& json);

/// What has to be laid over the text that `base` was read from, in this order. What is there
/// already is left out. Keys that a strategy does not read, a placement of other nodes, are taken
/// away.
/// @throws InputError where there is no such strategy, no such host
std::vector<std::string> overrides_of(const Controls& controls, const Case& base);

/// Where the controls stand for a case: the same keys, with what there is to choose from.
nlohmann::ordered_json controls_of(const Case& scenario_case);

}  // namespace foretrain::serve
