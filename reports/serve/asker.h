// Answers the newest question, on a thread of its own.
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

/// One question is answered at a time. A newer one drops the one under way, which is told so, as
/// are those that have not begun yet: each is called, so that it can say what became of it.
class Asker {
 public:
  /// True: nobody waits for the answer any more. From any thread.
  using Dropped = std::function<bool()>;
  using Answering = std::function<void(const Dropped& dropped)>;

  Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { leave(); }

  /// From any thread; returns at once. What throws has to be caught by `answering` itself. After
  /// `leave` it is dropped from the start.
  void ask(Answering answering);

  /// Drops what is under way, waits until that has noticed. From one thread.
  void leave();

 private:
  void work();

  std::atomic<std::uint64_t> newest_{0};
  std::atomic<bool> left_{false};
  std::mutex mutex_;  // guards waiting_
  std::condition_variable changed_;
  std::deque<std::pair<std::uint64_t, Answering>> waiting_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace foretrain::serve
