// Inputs of a supervisor, its effects.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <compare>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foretrain::supervision {

// --- Inputs ---

struct Joined {
  NodeId node;
};
struct Told {
  enum class What {
    listening,
    ready,
    finished,
    trouble,
    unread,   ///< it cannot read its part of the checkpoint
    kernels,  ///< not a message: the caller asked it to join again with other kernels
  };
  NodeId node;
  What what = What::listening;
  std::string why{};              ///< trouble, unread
  std::optional<NodeId> peer{};   ///< trouble: the connection to this node is broken
  bool older_checkpoint = false;  ///< unread: an older checkpoint may be whole
};
/// The connection of a node is closed.
struct Left {
  NodeId node;
  std::string why;
};
/// The process of a node, started by the supervisor, has ended: "was killed by signal 9 (Killed)".
struct Exited {
  NodeId node;
  std::string how;
};
/// A node has been silent for the limit: "was silent for 3 s".
struct Silent {
  NodeId node;
  std::string how;
  std::string advice{};  ///< appended to the failure
};
/// The scenario kills nodes now: "was killed at 2 s, as faults: says".
struct FaultDue {
  std::vector<NodeId> nodes;
  std::string how;
  std::optional<Duration> restart_after{};
  bool host = false;      ///< the node's host has failed; all wait without a limit
  bool together = false;  ///< no node continues without them
};
/// The caller cannot continue, e.g. the disk is full. `for_good`: a new attempt would also fail.
struct Failed {
  std::string why;
  bool for_good = true;
};
struct Interrupted {
  std::string why;
};
struct Timer {
  enum class Kind { join, suspicion, farewell, start };
  Kind kind = Kind::join;
  NodeId node{};  ///< only for `start`
  auto operator<=>(const Timer&) const = default;
};
struct TimerFired {
  Timer timer;
};
using Input =
    std::variant<Joined, Told, Left, Exited, Silent, FaultDue, Failed, Interrupted, TimerFired>;

// --- Effects ---

/// Starts the process of a node; the connection of its previous process is closed.
struct Start {
  NodeId node;
};
/// Kills the process of a node, if it runs here; else closes its connection.
struct Kill {
  NodeId node;
};
/// Accepts the new connection of a node; an older one is closed.
struct Admit {
  NodeId node;
};
/// The node is already connected: the new connection is rejected with an answer that says so.
struct TurnAway {
  NodeId node;
};
struct Tell {
  enum class What { setup, peers, go, lost, back };
  What what = What::setup;
  std::optional<NodeId> to{};  ///< none: all connected nodes
  NodeId about{};              ///< node of `lost`, `back`
};
/// Sets a timer: TimerFired is an input at this time. Replaces an earlier time of this timer.
struct Arm {
  Timer timer;
  Instant at;
};
/// Records that a node is lost while the others continue, with the reason; empty if it is back.
struct Record {
  NodeId node;
  std::string lost;
};
/// A line for users.
struct Say {
  std::string line;
};
/// The connected nodes are told to exit, or with `again` to join again.
struct EndAttempt {
  enum class Outcome { done, failed, interrupted };
  Outcome outcome = Outcome::done;
  std::string failure{};
  bool again = false;  ///< BeginAttempt will follow
  bool waits = false;  ///< the others wait for a missing node; users were informed
  bool older = false;  ///< the next attempt uses an older checkpoint
};
/// All surviving nodes have left: the caller chooses the checkpoint, then calls Supervisor::begin.
struct BeginAttempt {};
/// Nothing is waited for any more.
struct Stop {};
using Effect = std::variant<Start, Kill, Admit, TurnAway, Tell, Arm, Record, Say, EndAttempt,
                            BeginAttempt, Stop>;
using Effects = std::vector<Effect>;

}  // namespace foretrain::supervision
