// The page's controls as overrides of a scenario, in the form of --set.
#pragma once

#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {

/// Empty members leave the scenario as it is.
struct Controls {
  std::optional<int> workers;
  std::optional<int> servers;
  std::optional<int> batch_size;
  std::string strategy;
  std::string host;          ///< a host of the library; such hosts replace the cluster
  std::optional<int> hosts;  ///< their number, or the number of the scenario's own hosts of one
                             ///< kind; empty: as many as the workers need, or as in the scenario
  std::optional<double> nic_gbps;    ///< of all hosts
  std::optional<double> latency_us;  ///< of all hosts, one way to the switch
  /// Sigma of a lognormal factor of every gradient, replacing `stragglers:`; 0 means no straggling.
  std::optional<double> straggling;
  std::vector<std::string> set;  ///< KEY=VALUE, applied last
};

/// @throws InputError if `json` is not a valid set of controls
Controls read_controls(const nlohmann::ordered_json& json);

/// The overrides, in order, to apply to the text that `base` was read from. A strategy or a number
/// of nodes, hosts, examples that the scenario has already gives none. Keys that the new strategy
/// does not read, and a placement that no longer fits, are set to null.
/// @throws InputError if the strategy or the host does not exist
std::vector<std::string> overrides_of(const Controls& controls, const Case& base);

/// The controls' values for a case, under the same keys, with what is needed to show them.
nlohmann::ordered_json controls_of(const Case& scenario_case);

}  // namespace foretrain::serve
