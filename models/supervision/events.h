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
    kernels,  ///< no message: the caller has told it to join again with other kernels
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
  std::string advice{};  ///< ends the failure
};
/// The scenario kills nodes now: "was killed at 2 s, as faults: says".
struct FaultDue {
  std::vector<NodeId> nodes;
  std::string how;
  std::optional<Duration> restart_after{};
  bool host = false;      ///< theirs has failed; all wait for it without a limit
  bool together = false;  ///< nobody goes on without them
};
/// The caller cannot go on, e.g. the disk is full. `for_good`: another attempt would fail alike.
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
  NodeId node{};  ///< of `start` alone
  auto operator<=>(const Timer&) const = default;
};
struct TimerFired {
  Timer timer;
};
using Input =
    std::variant<Joined, Told, Left, Exited, Silent, FaultDue, Failed, Interrupted, TimerFired>;

// --- Effects ---

/// Starts the process of a node; closes the connection of the process before it.
struct Start {
  NodeId node;
};
/// Kills the process of a node, if it runs here; else closes its connection.
struct Kill {
  NodeId node;
};
/// The new connection is the node's; an older one is closed.
struct Admit {
  NodeId node;
};
/// The node is there already: the new connection is closed, with an answer that says so.
struct TurnAway {
  NodeId node;
};
struct Tell {
  enum class What { setup, peers, go, lost, back };
  What what = What::setup;
  std::optional<NodeId> to{};  ///< none: all that are connected
  NodeId about{};              ///< of `lost`, `back`
};
/// TimerFired is an input at that time; replaces an earlier time of the same timer.
struct Arm {
  Timer timer;
  Instant at;
};
/// A node is lost while the others go on: why. Empty: it is back.
struct Record {
  NodeId node;
  std::string lost;
};
/// A line for people.
struct Say {
  std::string line;
};
/// Its connected nodes are told to exit, or with `again` to join once more.
struct EndAttempt {
  enum class Outcome { done, failed, interrupted };
  Outcome outcome = Outcome::done;
  std::string failure{};
  bool again = false;  ///< BeginAttempt will follow
  bool waits = false;  ///< for a node that is missing; people have been told
  bool older = false;  ///< from an older checkpoint
};
/// All that survive have left: the caller chooses the checkpoint, then calls Supervisor::begin.
struct BeginAttempt {};
/// Nothing more is waited for.
struct Stop {};
using Effect = std::variant<Start, Kill, Admit, TurnAway, Tell, Arm, Record, Say, EndAttempt,
                            BeginAttempt, Stop>;
using Effects = std::vector<Effect>;

}  // namespace foretrain::supervision
