// Waiting for another thread by polling first, since the wait is often short.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace foretrain {

/// Polls until `value` differs from `seen`, then sleeps until it does: waking a thread can take
/// longer than the work it waits for. The thread that changes the value must notify it.
template <class T>
void wait_for_change(const std::atomic<T>& value, T seen) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(200);  // a few times the cost of a wake-up
  const auto end = Clock::now() + kSpin;
  while (value.load(std::memory_order_acquire) == seen) {
    if (Clock::now() > end) return value.wait(seen, std::memory_order_acquire);
    std::this_thread::yield();
  }
}

}  // namespace foretrain
