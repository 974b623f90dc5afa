// A queue of runs, compared with a sorted list.
#include "sim/engine/run_queue.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain::sim {
namespace {

struct Numbered {
  std::int64_t at = 0;
  std::int64_t number = 0;

  bool operator==(const Numbered&) const = default;
};
struct LaterNumbered {
  bool operator()(const Numbered& a, const Numbered& b) const {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }
};
bool earlier(const Numbered& a, const Numbered& b) { return LaterNumbered{}(b, a); }

template <std::size_t kRuns>
void compare_with_sorted(std::uint64_t seed, std::uint64_t delays) {
  Stream stream(seed, "queue");
  RunQueue<Numbered, LaterNumbered, kRuns> queue;
  std::vector<Numbered> sorted;
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < 5'000; ++i) {
    if (queue.empty() || stream.below(20) < 10) {
      const Numbered item{now + static_cast<std::int64_t>(stream.below(delays)), i};
      queue.push(item);
      sorted.insert(std::ranges::upper_bound(sorted, item, earlier), item);
    } else {
      REQUIRE(queue.front() == sorted.front());
      now = queue.front().at;
      queue.pop_front();
      sorted.erase(sorted.begin());
    }
    if (stream.below(500) == 0) {
      const auto is_even = [](const Numbered& item) { return item.number % 2 == 0; };
      queue.keep_if(is_even);
      std::erase_if(sorted, [&](const Numbered& item) { return !is_even(item); });
    }
    REQUIRE(queue.size() == sorted.size());
  }
  std::vector<Numbered> visited;
  queue.visit([&](const Numbered& item) { visited.push_back(item); });
  std::ranges::sort(visited, earlier);
  CHECK(visited == sorted);
  queue.clear();
  CHECK(queue.empty());
}

TEST_CASE("run queue: gives out what a sorted list would, in order or not") {
  const auto seed = GENERATE(1U, 2U, 3U);
  const auto delays = GENERATE(1U, 3U, 1000U);  // all in order; nearly; not at all
  CAPTURE(seed, delays);
  compare_with_sorted<0>(seed, delays);
  compare_with_sorted<1>(seed, delays);
  compare_with_sorted<2>(seed, delays);
  compare_with_sorted<4>(seed, delays);
}

}  // namespace
}  // namespace foretrain::sim
