// Connections of nobody to a port, for as long as they are wanted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace foretrain::bench {

/// So many come to a port of loopback as soon as somebody listens there. Idle ones say nothing,
/// slow ones what a node says first, a byte at a time. Who is turned away comes again a second
/// later, so at most `idle + slow` come a second, and whoever listens never has peace. On a thread
/// of their own.
class Strangers {
 public:
  Strangers(int port, std::size_t idle, std::size_t slow);
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;
  ~Strangers();

  /// Connections that were made so far.
  [[nodiscard]] std::int64_t came() const { return came_; }
  /// Of them, those that the other end has closed.
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
