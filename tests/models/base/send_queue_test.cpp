// The order in which a connection's messages leave.
#include "models/base/send_queue.h"

#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace foretrain {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

struct Queued {
  std::uint32_t bucket = 0;
  int number = 0;
  std::int64_t bytes = 100;

  [[nodiscard]] std::int64_t size() const { return bytes; }
};
using Queue = SendQueue<Queued>;

std::vector<int> numbers_of(const Queue& queue) {
  std::vector<int> numbers;
  for (const Queued& message : queue) numbers.push_back(message.number);
  return numbers;
}

Queue queue_of(const std::vector<std::uint32_t>& buckets, std::int64_t taken) {
  Queue queue;
  int number = 0;
  for (const std::uint32_t bucket : buckets) queue.push({bucket, number++}, taken);
  return queue;
}

TEST_CASE("send queue: a lower bucket goes before higher ones and after its own") {
  CHECK(numbers_of(queue_of({5, 3, 7, 3, 0}, 0)) == std::vector{4, 1, 3, 0, 2});
}

TEST_CASE("send queue: nothing goes before a message of which the kernel has a byte") {
  CHECK(numbers_of(queue_of({5, 4, 3}, 1)) == std::vector{0, 2, 1});
  CHECK(numbers_of(queue_of({5, 4, 3}, 100)) == std::vector{0, 2, 1});
  CHECK(numbers_of(queue_of({5, 4, 3, 2}, 101)) == std::vector{0, 1, 3, 2});
}

TEST_CASE("send queue: a thousand messages, each before those that wait, are in order") {
  std::vector<std::uint32_t> buckets(1'000);
  std::iota(buckets.rbegin(), buckets.rend(), 0U);
  const std::vector<int> numbers = numbers_of(queue_of(buckets, 1));
  CHECK(numbers.front() == 0);
  CHECK(std::is_sorted(numbers.begin() + 1, numbers.end(), std::greater()));
}

TEST_CASE("send queue: a kernel that takes all lets none overtake") {
  Queue queue;
  for (const std::uint32_t bucket : {5, 4, 3}) queue.append({bucket, static_cast<int>(bucket)});
  CHECK(numbers_of(queue) == std::vector{5, 4, 3});
  CHECK(numbers_of(queue_of({5, 4, 3, 0}, kAll)) == std::vector{0, 1, 2, 3});
}

TEST_CASE("send queue: what has left no longer stands before what the kernel has") {
  Queue queue = queue_of({5, 4}, 150);
  queue.pop_front();
  // The first 150 bytes are now the message with bucket 4 and half of the next one.
  queue.push({3, 2}, 150);
  queue.push({2, 3}, 150);
  CHECK(numbers_of(queue) == std::vector{1, 2, 3});
}

TEST_CASE("send queue: random messages leave in the order of their buckets and of each in turn") {
  const std::uint64_t seed = 17;
  INFO("seed " << seed);
  Stream draw(seed, "send queue");
  for (int round = 0; round < 200; ++round) {
    const auto taken = static_cast<std::int64_t>(draw.below(500));
    Queue queue;
    std::vector<Queued> twin;  // sorted by insertion
    for (int number = 0; number < 50; ++number) {
      const Queued message{static_cast<std::uint32_t>(draw.below(5)), number,
                           static_cast<std::int64_t>(1 + draw.below(200))};
      queue.push(message, taken);
      std::int64_t before = 0;
      std::size_t place = 0;
      for (std::size_t i = 0; i < twin.size(); before += twin[i++].bytes) {
        if (before < taken || twin[i].bucket <= message.bucket) place = i + 1;
      }
      twin.insert(twin.begin() + static_cast<std::ptrdiff_t>(place), message);
      if (draw.below(3) == 0) {
        queue.pop_front();
        twin.erase(twin.begin());
      }
    }
    std::vector<int> expected;
    for (const Queued& message : twin) expected.push_back(message.number);
    REQUIRE(numbers_of(queue) == expected);
  }
}

}  // namespace
}  // namespace foretrain
