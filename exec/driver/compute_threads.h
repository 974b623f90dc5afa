// The threads that a worker computes with.
#pragma once

#include "models/base/parallel.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace foretrain::exec {

/// Runs the parts of a computation on the calling thread and `threads - 1` helpers; each takes the
/// next part when it is free. Between two computations a helper polls for a while before it sleeps:
/// a step calls `run` dozens of times, and waking a thread can cost more than a part.
///
/// Used from one thread at a time. An exception of a part is rethrown by `run`.
class ComputeThreads : public Parallel {
 public:
  /// `threads` >= 1. The helpers inherit the CPU affinity of the creating thread.
  /// @throws std::system_error if the system starts no more threads
  explicit ComputeThreads(int threads);
  ~ComputeThreads() override { end(); }
  ComputeThreads(const ComputeThreads&) = delete;
  ComputeThreads& operator=(const ComputeThreads&) = delete;

  [[nodiscard]] int threads() const override { return static_cast<int>(helpers_.size()) + 1; }
  void run(int parts, const std::function<void(int)>& part) override;

 private:
  void end();
  void help();
  void take_parts();

  const std::function<void(int)>* part_ = nullptr;
  int parts_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> busy_{0};             // helpers that have not ended this round
  std::atomic<std::uint32_t> round_{0};  // changes if there is work, or at the end
  std::atomic<bool> over_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> helpers_;
};

}  // namespace foretrain::exec
