// A node as its launcher knows it.
#pragma once

#include "exec/launch/control.h"
#include "exec/launch/pauses.h"
#include "exec/launch/remote_node.h"
#include "exec/launch/silence.h"
#include "exec/usage/interface.h"

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct Member {
  std::string role;
  std::size_t host = 0;
  std::string host_name{};
  std::vector<int> cores;                ///< that it is pinned to; none: where its launcher put it
  pid_t process = 0;                     ///< 0: another task's; of a node on another host its ssh
  std::unique_ptr<RemoteNode> remote{};  ///< of a node on another host alone
  int rank = 0;
  bool reaped = false;
  std::shared_ptr<Connection> connection{};
  std::shared_ptr<Connection> next{};  ///< counts once `connection`, with its last rows, is closed
  nlohmann::json place{};              ///< where its process listens; null until it has told
  Instant left{};                      ///< when it was lost, by the training's clock
  std::optional<Silence> silence{};    ///< while training
  Duration had{};                      ///< of a core, when it was last asked
  std::unique_ptr<Pauses> pauses{};    ///< of its process
  InterfaceBytes counted_before{};     ///< time zero
  std::string kernels{};               ///< that its process computes with, as it says
  std::vector<std::string> other_kernels{};  ///< with which it could begin again

  /// A process that was started here, and has not ended.
  [[nodiscard]] bool lives() const { return process > 0 && !reaped; }
  /// How its process has ended, which is reaped; nothing where it lives on.
  [[nodiscard]] std::optional<std::string> how_ended();
  /// What its first thread had of a core since it was asked last, where it waits for one now.
  /// Nothing: it waits for something else, or is no process of this machine, or of another task.
  [[nodiscard]] std::optional<Duration> had_while_waiting();
  /// With its process, its host, or its rank.
  [[nodiscard]] std::string described() const;
  /// By its role alone where that tells enough: a task's rank is what its user knows.
  [[nodiscard]] std::string named() const { return process > 0 && !remote ? role : described(); }
};

/// To each who is connected; who is not is being mourned already.
void send_to_all(const std::vector<Member>& members, ControlKind kind, const nlohmann::json& json);

}  // namespace foretrain::exec
