// The queue, compared with a std::deque.
#include "models/base/fifo.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("fifo: what goes in comes out in that order whether it was empty in between or not") {
  Fifo<int> queue;
  CHECK(queue.empty());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) queue.push_back(i);
    CHECK(queue.size() == 100);
    for (int i = 0; i < 100; ++i) REQUIRE(queue.pop_front() == i);
    CHECK(queue.empty());
    CHECK(queue.begin() == queue.end());
  }
}

TEST_CASE("fifo: items that can only be moved go through it") {
  Fifo<std::unique_ptr<int>> queue;
  for (int i = 0; i < 50; ++i) {
    queue.push_back(std::make_unique<int>(i));
    if (i % 2 == 1) REQUIRE(*queue.pop_front() == i / 2);
  }
  CHECK(queue.size() == 25);
}

// The largest number of places of any queue in the test below.
std::size_t most_places = 0;
struct CountedPlaces : std::vector<int> {
  void push_back(int item) {
    std::vector<int>::push_back(item);
    most_places = std::max(most_places, size());
  }
  iterator insert(iterator place, int item) {
    const iterator placed = std::vector<int>::insert(place, item);
    most_places = std::max(most_places, size());
    return placed;
  }
};

TEST_CASE("fifo: one that is never empty uses its places again, however items get in") {
  most_places = 0;
  Fifo<int, CountedPlaces> queue;
  queue.push_back(0);
  for (int i = 0; i < 10'000; ++i) {
    queue.insert(queue.end(), i);
    queue.pop_front();
  }
  CHECK(most_places > 2);
  CHECK(most_places < 100);
  CHECK(queue.end() - queue.begin() == 1);
  CHECK(queue.front() == 9'999);
}

TEST_CASE("fifo: after any operations it holds what a deque holds") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Stream draw(seed, "test.fifo");
    // Queues of increasing length: only long ones reuse the places at the front.
    const std::uint64_t length = seed;
    Fifo<std::uint64_t> queue;
    std::deque<std::uint64_t> twin;
    for (int operation = 0; operation < 600; ++operation) {
      const auto what = draw.below(10);
      const auto at = static_cast<std::ptrdiff_t>(draw.below(twin.size() + 1));
      if (what < 4 || twin.size() < length / 2) {
        const std::uint64_t item = draw.bits();
        queue.push_back(item);
        twin.push_back(item);
      } else if (what < 8) {
        if (twin.empty()) continue;
        REQUIRE(queue.front() == twin.front());
        REQUIRE(queue.pop_front() == twin.front());
        twin.pop_front();
      } else if (what == 8) {
        const std::uint64_t item = draw.bits();
        queue.insert(queue.begin() + at, item);
        twin.insert(twin.begin() + at, item);
      } else if (static_cast<std::size_t>(at) < twin.size()) {
        queue.erase(queue.begin() + at);
        twin.erase(twin.begin() + at);
      }
      REQUIRE(queue.size() == twin.size());
      REQUIRE(queue.empty() == twin.empty());
      REQUIRE(std::equal(queue.begin(), queue.end(), twin.begin(), twin.end()));
    }
  }
}

}  // namespace
}  // namespace foretrain
