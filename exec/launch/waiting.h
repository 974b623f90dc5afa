// What one attempt at a training hands to the next: processes that stay, nodes that they wait for.
#pragma once

#include "exec/launch/remote_node.h"
#include "models/base/time.h"

#include <boost/asio/io_context.hpp>

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// From SIGTERM to SIGKILL, where a launcher ends its processes.
inline constexpr Duration kTermToKill{1'000'000'000};

/// A node that is gone, without which the others cannot go on.
struct Awaited {
  int rank = 0;
  std::string what;  ///< became of it: "worker1 (process 4711) was killed by signal 9 (Killed)"
  std::chrono::steady_clock::time_point since{};
  /// When its launcher starts another process in its place; empty: somebody else does.
  std::optional<std::chrono::steady_clock::time_point> starts_at{};
};

/// The process of a node that was told to let its training go, and to join again (kAgain).
struct Survivor {
  int rank = 0;
  pid_t process = 0;
  std::unique_ptr<RemoteNode> remote{};  ///< of a node on another host alone
};

/// Processes that nobody takes over end with it. One thread.
class Waiting {
 public:
  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();

  /// Keeps a process until the next launcher takes it.
  void keep(Survivor survivor);
  std::vector<Survivor> take();
  [[nodiscard]] bool empty() const { return there_.empty(); }

  /// The socket that listens for them, kept open: on a port that nobody has, a connection of this
  /// machine may meet itself. -1: there is none.
  int door = -1;
  std::vector<Awaited> lost;
  std::string kernels;  ///< that all nodes have agreed on, and keep; empty: they have not yet

 private:
  boost::asio::io_context loop_{1};  // of what they say meanwhile: nobody runs it
  std::vector<Survivor> there_;
};

}  // namespace foretrain::exec
