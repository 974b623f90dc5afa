// What another thread of a process has its event loop do.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace foretrain::exec {

/// Work for a loop, done in the order in which it was handed over. As asio::post, but the loop is
/// woken while nobody holds a lock: asio writes to the loop's descriptor with the loop's mutex
/// held, so that a loop on the same core, which the kernel runs at once, waits for that very mutex
/// and gives the core back. Whether it does is the scheduler's whim, so that the same job took 5 or
/// 10 us to be told of, and asking for the CPU time of a thread was enough to change it: a step of
/// 76 us took 87 where jobs were timed (softmax regression, batch 48, one worker, sync; 2 cores of
/// an AMD EPYC Zen 3 VM).
class LoopQueue {
 public:
  using Work = std::function<void()>;

  explicit LoopQueue(boost::asio::io_context& loop);

  /// On the loop: one piece of work will come, the loop has something to wait for.
  void expect();
  /// On any thread, once for each that is expected.
  void hand_over(Work work);
  /// On the loop: what comes from now on is not done.
  void close();

 private:
  void wait();
  void do_all();

  boost::asio::posix::stream_descriptor woken_;  // an eventfd
  std::uint64_t count_ = 0;                      // that is read from it
  int expected_ = 0;
  bool waiting_ = false;
  std::mutex mutex_;
  std::vector<Work> handed_over_;
};

}  // namespace foretrain::exec
