// Faults of a training: the same in both modes.
#pragma once

#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A node counts as lost if it is silent for this long: `training.silence_limit` plus the longest
/// pause. A suspended process is silent; so is each end of a connection that carries nothing.
Duration silence_of(const Scenario& scenario);
/// The message about a node that was silent: "was silent for 3 s".
std::string silent_for(Duration silence);

/// The node with this name in records, `worker1` or `server0`; workers are counted first. Nothing
/// if the scenario has no such node.
std::optional<int> node_called(const Scenario& scenario, std::string_view name);

/// When a node is present in a training. If it joins several times, the latest join counts.
struct FaultSchedule {
  /// The process of the node ends, if it is running.
  struct Death {
    Duration at;  ///< after the start of the other nodes
    /// The delay until a new process replaces it; nothing if the fault does not give one.
    std::optional<Duration> restart_after{};
  };
  Duration joins_at;          ///< after the start of the other nodes
  std::vector<Death> deaths;  ///< by time
};
FaultSchedule fault_schedule_of(const Scenario& scenario, int node);
/// The message about a node that was killed: "was killed at 20 s, as faults: says".
std::string death_at(Duration dies_at);
/// The message about a node whose host failed: "was on node1, which failed".
std::string failed_with(std::string_view host);

/// Whether a fault suspends this node for a while.
bool is_stopped(const Scenario& scenario, int node);
/// The names of the nodes in a fault, as written there.
std::vector<std::string> named_by(const FaultSpec& fault);

}  // namespace foretrain
