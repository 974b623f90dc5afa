// What happens to a training once, from outside: the same in both modes.
#pragma once

#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Whoever is silent for so long counts as lost, a process that stands still as both ends of a
/// connection that carries nothing: `training.silence_limit` beyond the longest pause.
Duration silence_of(const Scenario& scenario);
/// What became of who stood still: "was silent for 3 s".
std::string silent_for(Duration silence);

/// The node that records call `name`: `worker1`, `server0`; workers are counted first. Nothing: the
/// scenario has none of that name.
std::optional<int> node_called(const Scenario& scenario, std::string_view name);

/// The parts of a training in which a node is there. Of several joins it is the latest.
struct Life {
  /// The process of the node, where it is there, ends.
  struct Death {
    Duration at;  ///< after the others have begun
    /// So long after that another process takes its place; none: the fault says nothing of one.
    std::optional<Duration> restart_after{};
  };
  Duration joins_at;          ///< after the others have begun
  std::vector<Death> deaths;  ///< by time
};
Life life_of(const Scenario& scenario, int node);
/// What became of a node that was killed: "was killed at 20 s, as faults: says".
std::string death_at(Duration dies_at);
/// What became of a node whose host failed: "was on node1, which failed".
std::string failed_with(std::string_view host);

/// A fault stops this node for a while.
bool is_stopped(const Scenario& scenario, int node);
/// The nodes that a fault names, as it names them.
std::vector<std::string> named_by(const FaultSpec& fault);

}  // namespace foretrain
