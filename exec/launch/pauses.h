// Stops a process for a while, as a straggler's pause says.
#pragma once

#include "scenarios/stragglers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace foretrain::exec {

/// The pauses of one worker in real time. On the thread of the io_context.
class Pauses {
 public:
  /// Sends the worker a signal: SIGSTOP, SIGCONT.
  using SendSignal = std::function<void(int signal)>;

  Pauses(boost::asio::io_context& loop, const Scenario& scenario, int worker,
         SendSignal send_signal);

  /// Time zero. Nothing happens where the worker never pauses.
  void start();
  /// No pause any more: the worker goes on if it stands still. May be called again.
  void end();

 private:
  void wait_for(Instant time);
  void look();
  [[nodiscard]] Instant now() const;

  PauseDraws draws_;
  SendSignal send_signal_;
  std::chrono::steady_clock::time_point start_;
  boost::asio::steady_timer timer_;
  std::optional<Pause> next_;
  std::optional<Instant> until_;  // it stands still
};

}  // namespace foretrain::exec
