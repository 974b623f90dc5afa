// Pauses or kills a process as the scenario's stragglers or faults say.
#pragma once

#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/stragglers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace foretrain::exec {

/// The pauses and the death of a node's process in real time. On the thread of the io_context.
class Pauses {
 public:
  /// Sends the node a signal: SIGSTOP, SIGCONT, SIGKILL.
  using SendSignal = std::function<void(int signal)>;
  /// Called after SIGKILL.
  using Died = std::function<void(const FaultSchedule::Death& death)>;

  /// `begins`: by the training's clock; earlier events are skipped.
  Pauses(boost::asio::io_context& loop, const Scenario& scenario, int node, Instant begins,
         SendSignal send_signal, Died died);

  /// The training begins or resumes. Does nothing if the node neither pauses nor dies.
  void start();
  /// Ends pauses and cancels the death: a paused node resumes. May be called again.
  void end();

 private:
  void wait();
  void look();
  [[nodiscard]] Instant now() const;

  StandingStill standing_still_;
  std::optional<FaultSchedule::Death> dies_;
  Instant begins_;
  SendSignal send_signal_;
  Died died_;
  std::chrono::steady_clock::time_point start_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer death_;
};

}  // namespace foretrain::exec
