// The life of a node, as its supervisor sees it.
#pragma once

#include "models/base/time.h"

#include <optional>
#include <string>
#include <variant>

namespace foretrain::supervision {

// clang-format off
// The life of a node:
//
//     Absent --Start--> Joining --listening--> Listening --peers, ready--> Ready --go--> Training --finished--> Finished
//       ^                  ^                                                               |
//       |                  | its connection is closed                     others go on     v
//       |               Leaving <-- each node that lives, at EndAttempt                   Lost <--+
//       |                           with `again`                                           |      | gone
//       |                                                                            Start v      |
//       +-- the lost node, at EndAttempt with `again`              Training <--ready-- Returning -+
//
// Nodes that the others wait for:
//
//     lost node               async, ssp, sync with backups                  all others
//     worker, not the chief   not waited for: Lost, returns under its id     all wait: the attempt ends
//     chief, server           all wait: the attempt ends                     all wait: the attempt ends
// clang-format on
//
// After the end of an attempt the surviving processes discard their training state and join again.
// All continue from the newest checkpoint. They wait up to `rejoin_limit` for the missing node;
// without a limit another process is started at once, if a restart is left. If a node is lost while
// the others join, only that node is replaced: no other node was informed of it.

struct Absent {
  Instant starts_at{};  ///< when to start a process, after the end of the previous one
};
struct Joining {
  bool again = false;  ///< it was told to leave and to join with other kernels
};
struct Listening {
  std::string unread{};           ///< why its part of the checkpoint could not be read; else empty
  bool older_checkpoint = false;  ///< Told::older_checkpoint
};
struct Ready {};
struct Training {};
struct Finished {};
struct Lost {
  std::string why{};
  std::optional<Instant> returns_at{};  ///< another process takes its place then
  bool takes_restart = false;           ///< its return counts as a restart
};
struct Returning {
  std::string why{};   ///< why it was lost
  bool again = false;  ///< as Joining::again
};
struct Leaving {};
using Life =
    std::variant<Absent, Joining, Listening, Ready, Training, Finished, Lost, Returning, Leaving>;

template <class State>
bool in(const Life& life) {
  return std::holds_alternative<State>(life);
}

/// The node was told to leave and to join with other kernels.
inline bool leaves_for_kernels(const Life& life) {
  const auto* joining = std::get_if<Joining>(&life);
  const auto* returning = std::get_if<Returning>(&life);
  return (joining != nullptr && joining->again) || (returning != nullptr && returning->again);
}

}  // namespace foretrain::supervision
