// Stops a process for a while or ends it, as stragglers, faults of the scenario say.
#pragma once

#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/stragglers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace foretrain::exec {

/// The pauses of one process of a node in real time, with its death. On the thread of the
/// io_context.
class Pauses {
 public:
  /// Sends the node a signal: SIGSTOP, SIGCONT, SIGKILL.
  using SendSignal = std::function<void(int signal)>;
  /// Called after SIGKILL.
  using Died = std::function<void(const Life::Death& death)>;

  /// `begins`: by the training's clock; what was to happen before then has happened.
  Pauses(boost::asio::io_context& loop, const Scenario& scenario, int node, Instant begins,
         SendSignal send_signal, Died died);

  /// The training begins, or goes on. Nothing happens where the node neither pauses nor dies.
  void start();
  /// No pause, no death any more: the node goes on if it stands still. May be called again.
  void end();

 private:
  void wait();
  void look();
  [[nodiscard]] Instant now() const;

  StandingStill standing_still_;
  std::optional<Life::Death> dies_;
  Instant begins_;
  SendSignal send_signal_;
  Died died_;
  std::chrono::steady_clock::time_point start_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer death_;
};

}  // namespace foretrain::exec
