// A node as its launcher knows it.
#pragma once

#include "exec/launch/control.h"
#include "exec/launch/pauses.h"
#include "exec/launch/remote_node.h"
#include "exec/launch/silence.h"
#include "exec/usage/interface.h"

#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct Member {
  std::string role;
  std::size_t host = 0;
  std::vector<int> cores;                ///< that it is pinned to; none: where its launcher put it
  pid_t process = 0;                     ///< 0: another task's; of a node on another host its ssh
  std::unique_ptr<RemoteNode> remote{};  ///< of a node on another host alone
  int rank = 0;
  bool reaped = false;
  std::shared_ptr<Connection> connection{};
  nlohmann::json place{};  ///< where it listens
  bool listening = false;
  bool no_part = false;  ///< could not read the state that it was to go on from
  bool ready = false;
  bool finished = false;
  bool lost = false;  ///< while the others went on
  /// Of one that is lost: whether another process takes its place. `planned`: it is to be started,
  /// `started`: it gets ready.
  enum class Return { none, planned, started };
  Return coming = Return::none;
  Instant left{};               ///< when it was lost
  std::int64_t generation = 1;  ///< of its processes so far
  /// Until its next process is started; may be null.
  std::unique_ptr<boost::asio::steady_timer> return_timer{};
  std::optional<Silence> silence{};          ///< while training
  Duration had{};                            ///< of a core, when it was last asked
  std::unique_ptr<Pauses> pauses{};          ///< of its process
  InterfaceBytes counted_before{};           ///< time zero
  std::string kernels{};                     ///< that its process computes with, as it says
  std::vector<std::string> other_kernels{};  ///< with which it could begin again
  bool changes_kernels = false;              ///< was told to take others, to join anew

  /// A process that was started here, and has not ended.
  [[nodiscard]] bool lives() const { return process > 0 && !reaped; }
  /// How its process has ended, which is reaped; nothing where it lives on.
  [[nodiscard]] std::optional<std::string> how_ended();
  /// Nobody listens to it.
  [[nodiscard]] bool is_gone() const { return lost && coming != Return::started; }
  /// What its first thread had of a core since it was asked last, where it waits for one now.
  /// Nothing: it waits for something else, or is no process of this machine, or of another task.
  [[nodiscard]] std::optional<Duration> had_while_waiting();
  /// With its process, its host, or its rank.
  [[nodiscard]] std::string described() const;
  /// By its role alone where that tells enough: a task's rank is what its user knows.
  [[nodiscard]] std::string named() const { return process > 0 && !remote ? role : described(); }
};

/// Those of whom `done` is not true yet, by name.
std::string missing(const std::vector<Member>& members, bool Member::*done);

/// To each who is connected; who is not is being mourned already.
void send_to_all(const std::vector<Member>& members, ControlKind kind, const nlohmann::json& json);

}  // namespace foretrain::exec
