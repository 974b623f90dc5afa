// Waiting for another thread, where what is waited for often comes at once.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace foretrain {

/// Polls until `value` is no longer `seen`, then sleeps until it is: waking a thread can take
/// longer than what it is woken for. Whoever changes the value notifies it.
template <class T>
void wait_for_change(const std::atomic<T>& value, T seen) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(200);  // a few times what a wake costs
  const auto end = Clock::now() + kSpin;
  while (value.load(std::memory_order_acquire) == seen) {
    if (Clock::now() > end) return value.wait(seen, std::memory_order_acquire);
    std::this_thread::yield();
  }
}

}  // namespace foretrain
