// Waiting for the actions of other processes.
#pragma once

#include "tests/support/instruments.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

namespace foretrain::testing {

/// Polls until `condition()` holds; fails the test after two minutes, with instruments after
/// twenty.
template <class Condition>
void wait_until(Condition condition,
                std::chrono::milliseconds between = std::chrono::milliseconds(5)) {
  constexpr std::chrono::seconds kMost{kSanitized || kCounted ? 1'200 : 120};
  const auto end = std::chrono::steady_clock::now() + kMost;
  while (!condition() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(between);
  }
  REQUIRE(condition());
}

}  // namespace foretrain::testing
