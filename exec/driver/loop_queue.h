// A queue of work from another thread for an event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace foretrain::exec {

/// Work for a loop, done in order of arrival. Like asio::post, but the loop is woken while no lock
/// is held. Asio writes to the loop's descriptor with the loop's mutex locked, so a loop on the
/// same core, which the kernel runs at once, waits for that mutex and gives the core back. Whether
/// it does depends on the scheduler: the same notification took 5 or 10 us, and reading a thread's
/// CPU time was enough to change it: a step of 76 us took 87 if jobs were timed (softmax
/// regression, batch 48, one worker, sync; 2 cores of an AMD EPYC Zen 3 VM).
class LoopQueue {
 public:
  using Work = std::function<void()>;

  explicit LoopQueue(boost::asio::io_context& loop);

  /// On the loop: announces one piece of work, so that the loop keeps running.
  void expect();
  /// On any thread, once for each announced piece.
  void hand_over(Work work);
  /// On the loop: later work is dropped.
  void close();

 private:
  void wait();
  void do_all();

  boost::asio::posix::stream_descriptor woken_;  // an eventfd
  std::uint64_t count_ = 0;                      // value read from it
  int expected_ = 0;
  bool waiting_ = false;
  std::mutex mutex_;
  std::vector<Work> handed_over_;
};

}  // namespace foretrain::exec
