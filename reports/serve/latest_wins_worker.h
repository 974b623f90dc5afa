// A thread that answers the latest question only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace foretrain::serve {

/// Answers one question at a time. A newer question cancels the current one and those that wait;
/// each of these is still called, with `dropped` true, so that it can send a response.
class LatestWinsWorker {
 public:
  /// True after the question was cancelled. Thread-safe.
  using Dropped = std::function<bool()>;
  using Answering = std::function<void(const Dropped& dropped)>;

  LatestWinsWorker();
  LatestWinsWorker(const LatestWinsWorker&) = delete;
  LatestWinsWorker& operator=(const LatestWinsWorker&) = delete;
  ~LatestWinsWorker() { leave(); }

  /// Enqueues a question; returns at once. Thread-safe. `answering` must not throw. After `leave`
  /// it is called at once, as cancelled.
  void ask(Answering answering);

  /// Cancels all questions, waits for the thread to end. To be called from one thread.
  void leave();

 private:
  void work();

  std::atomic<std::uint64_t> newest_{0};
  std::atomic<bool> left_{false};
  std::mutex mutex_;  // guards waiting_
  std::condition_variable changed_;
  std::deque<std::pair<std::uint64_t, Answering>> waiting_;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace foretrain::serve
