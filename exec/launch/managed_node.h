// A node as its launcher knows it.
#pragma once

#include "exec/launch/control.h"
#include "exec/launch/failure_detector.h"
#include "exec/launch/pauses.h"
#include "exec/launch/remote_node.h"
#include "exec/usage/interface.h"

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct ManagedNode {
  std::string role;
  std::size_t host = 0;
  std::string host_name{};
  std::vector<int> cores;                ///< pinned to these; empty: not pinned by this launcher
  pid_t process = 0;                     ///< that of ssh if the node is on another host; 0: a task
  std::unique_ptr<RemoteNode> remote{};  ///< only for a node on another host
  int rank = 0;
  bool reaped = false;
  std::shared_ptr<Connection> connection{};
  std::shared_ptr<Connection> next{};  ///< used once `connection`, with its last rows, is closed
  nlohmann::json place{};              ///< address of its process; null until it has reported it
  Instant left{};                      ///< time of its loss, by the training's clock
  std::optional<FailureDetector> silence{};  ///< while training
  Duration had{};                            ///< CPU time at the last query
  std::unique_ptr<Pauses> pauses{};          ///< of its process
  InterfaceBytes counted_before{};           ///< at time zero
  std::string kernels{};                     ///< reported kernel set of its process
  std::vector<std::string> other_kernels{};  ///< other sets with which it could begin again

  /// True for a process that was started here and has not ended.
  [[nodiscard]] bool lives() const { return process > 0 && !reaped; }
  /// How its process has ended, which is then reaped; nullopt if it still runs.
  [[nodiscard]] std::optional<std::string> how_ended();
  /// CPU time of its first thread since the last query, if the thread waits for a core now. nullopt
  /// if it waits for something else, or is no process of this machine, or of another task.
  [[nodiscard]] std::optional<Duration> had_while_waiting();
  /// The node's role with its process, host, or rank.
  [[nodiscard]] std::string described() const;
  /// Only the role of a process that was started here; else as `described`.
  [[nodiscard]] std::string named() const { return process > 0 && !remote ? role : described(); }
};

/// Sends to all connected nodes. Disconnected nodes are handled elsewhere.
void send_to_all(const std::vector<ManagedNode>& members, ControlKind kind,
                 const nlohmann::json& json);

}  // namespace foretrain::exec
