// Strangers that connect to a port.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace foretrain::bench {

/// Connects this many strangers to a port of loopback as soon as somebody listens there. Idle ones
/// send nothing; slow ones send a node's first message, one byte at a time. A rejected stranger
/// reconnects a second later, so at most `idle + slow` connect per second, without a break. Runs on
/// its own thread.
class Strangers {
 public:
  Strangers(int port, std::size_t idle, std::size_t slow);
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;
  ~Strangers();

  /// Connections made so far.
  [[nodiscard]] std::int64_t came() const { return came_; }
  /// Those of them that the other end has closed.
  [[nodiscard]] std::int64_t turned_away() const { return turned_away_; }

 private:
  class Stranger;

  void stand_around(int port, std::size_t idle, std::size_t slow);

  std::atomic<std::int64_t> came_ = 0;
  std::atomic<std::int64_t> turned_away_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace foretrain::bench
