// Threads that are started for each piece of work.
#pragma once

#include "models/base/parallel.h"

#include <atomic>
#include <thread>
#include <vector>

namespace foretrain::testing {

/// Simple and slow; threads take the parts in any order.
class Threads final : public Parallel {
 public:
  explicit Threads(int threads) : threads_(threads) {}

  [[nodiscard]] int threads() const override { return threads_; }
  void run(int parts, const std::function<void(int)>& part) override {
    parts_seen_ = parts > parts_seen_ ? parts : parts_seen_;
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i = next++; i < parts; i = next++) part(i);
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(threads_ - 1));
    for (int i = 1; i < threads_; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }
  /// The largest number of parts of any piece of work.
  [[nodiscard]] int parts_seen() const { return parts_seen_; }

 private:
  int threads_;
  int parts_seen_ = 1;
};

}  // namespace foretrain::testing
