// Signals that ask a run to end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <array>
#include <csignal>
#include <string>

namespace foretrain::exec {

inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// `interrupted by signal 15`, as a record has it.
std::string interrupted_by(int signal);

/// Hears them for all of a run. Each launcher hears them, too, while it is at work; one that comes
/// between two attempts, or while the first is being cleared away, is heard here alone. One thread.
class Interruption {
 public:
  Interruption();

  /// Which one has come so far; 0: none.
  int signal();

 private:
  boost::asio::io_context loop_{1};
  boost::asio::signal_set signals_{loop_};
  int came_ = 0;
};

}  // namespace foretrain::exec
