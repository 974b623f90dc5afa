// Payloads: shared, writable buffers.
#include "models/tensor/payload.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

using namespace foretrain;

namespace {

Payload numbers(std::int64_t count) {
  Payload payload = Payload::allocate({count * 4});
  float next = 0;
  for (float& x : payload.writable_floats()) x = next++;
  return payload;
}

}  // namespace

TEST_CASE("payload: a new one has its size, starts at 64 bytes, may be written", "[payload]") {
  for (const std::int64_t size : {1, 4, 63, 64, 65, 1'000'000}) {
    Payload payload = Payload::allocate({size});
    CHECK(payload.size() == Bytes{size});
    CHECK(payload.has_bytes());
    CHECK(payload.unshared());
    CHECK(payload.bytes().size() == static_cast<std::size_t>(size));
    CHECK(reinterpret_cast<std::uintptr_t>(payload.bytes().data()) % 64 == 0);
    std::ranges::fill(payload.writable_bytes(), std::byte{7});
    CHECK(std::ranges::count(payload.bytes(), std::byte{7}) == size);
  }
}

TEST_CASE("payload: an empty one has no bytes to give", "[payload]") {
  for (const Payload& payload : {Payload{}, Payload::allocate({0}), Payload::sized({0})}) {
    CHECK(payload.size() == Bytes{0});
    CHECK(payload.has_bytes());
    CHECK(payload.bytes().empty());
    CHECK(payload.floats().empty());
  }
}

TEST_CASE("payload: a size alone refuses to give bytes", "[payload]") {
  Payload payload = Payload::sized({400});
  CHECK(payload.size() == Bytes{400});
  CHECK_FALSE(payload.has_bytes());
  CHECK_THROWS_AS(payload.bytes(), InvariantViolation);
  CHECK_THROWS_AS(payload.floats(), InvariantViolation);
  CHECK_THROWS_AS(payload.writable_bytes(), InvariantViolation);
  const Payload part = payload.slice({100}, {200});
  CHECK(part.size() == Bytes{200});
  CHECK_FALSE(part.has_bytes());
}

TEST_CASE("payload: a copy shares the buffer, then neither may be written", "[payload]") {
  Payload one = numbers(8);
  {
    Payload two = one;
    CHECK(two.bytes().data() == one.bytes().data());
    CHECK_FALSE(one.unshared());
    CHECK_FALSE(two.unshared());
    CHECK_THROWS_AS(one.writable_bytes(), InvariantViolation);
    CHECK_THROWS_AS(two.writable_floats(), InvariantViolation);
  }
  CHECK(one.unshared());
  one.writable_floats()[0] = 5;
  CHECK(one.floats()[0] == 5);
}

TEST_CASE("payload: moving hands the buffer on", "[payload]") {
  Payload one = numbers(8);
  const auto* data = one.bytes().data();
  Payload two = std::move(one);
  CHECK(two.bytes().data() == data);
  CHECK(two.unshared());
  CHECK(one.size() == Bytes{0});  // NOLINT: a moved-from payload is empty
  one = std::move(two);
  CHECK(one.bytes().data() == data);
  CHECK(two.size() == Bytes{0});  // NOLINT
}

TEST_CASE("payload: assignment drops what was held", "[payload]") {
  const Payload kept = numbers(4);
  Payload holder = kept;
  CHECK_FALSE(kept.unshared());
  holder = numbers(2);
  CHECK(kept.unshared());
  const Payload again = kept;
  holder = again;
  CHECK(holder.floats().size() == 4);
}

TEST_CASE("payload: assignment to itself changes nothing", "[payload]") {
  Payload payload = numbers(4);
  Payload& same = payload;
  payload = same;
  CHECK(payload.unshared());
  CHECK(payload.floats()[3] == 3);
  payload = std::move(same);
  CHECK(payload.unshared());
  CHECK(payload.floats()[3] == 3);
}

TEST_CASE("payload: a slice shows its part of the buffer", "[payload]") {
  const Payload whole = numbers(10);
  const Payload part = whole.slice({8}, {16});
  CHECK(part.size() == Bytes{16});
  CHECK(part.floats().front() == 2);
  CHECK(part.floats().back() == 5);
  const Payload inner = part.slice({4}, {4});
  CHECK(inner.floats()[0] == 3);
  CHECK(whole.slice({40}, {0}).bytes().empty());
}

TEST_CASE("payload: a slice keeps the buffer alive, shares it as long", "[payload]") {
  Payload whole = numbers(10);
  Payload part = whole.slice({8}, {16});
  CHECK_FALSE(whole.unshared());
  CHECK_FALSE(part.unshared());
  whole = {};
  CHECK(part.unshared());
  part.writable_floats()[0] = 9;
  CHECK(part.floats()[0] == 9);
  CHECK(part.floats()[1] == 3);
}

TEST_CASE("payload: two slices of a buffer span what lies from one to the other", "[payload]") {
  const Payload whole = GENERATE(Payload::allocate({40}), Payload::sized({40}));
  const Payload first = whole.slice({8}, {4});
  const Payload last = whole.slice({16}, {8});
  for (const Payload& both : {first.spanned(last), last.spanned(first)}) {
    CHECK(both.size() == Bytes{16});
    if (whole.has_bytes()) CHECK(both.bytes().data() == first.bytes().data());
  }
  CHECK(whole.spanned(last).size() == Bytes{40});
  CHECK_THROWS_AS(first.spanned(Payload::allocate({4})), InvariantViolation);
}

TEST_CASE("payload: a slice beyond the end is a bug", "[payload]") {
  const Payload payload = numbers(10);
  const auto huge = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(payload.slice({8}, {33}), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({41}, {0}), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({-1}, {4}), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({0}, {-1}), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({8}, {huge}), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({huge}, {8}), InvariantViolation);
}

TEST_CASE("payload: numbers need a size, a place of whole numbers", "[payload]") {
  const Payload payload = numbers(4);
  CHECK_THROWS_AS(payload.slice({0}, {6}).floats(), InvariantViolation);
  CHECK_THROWS_AS(payload.slice({2}, {8}).floats(), InvariantViolation);
  CHECK_THROWS_AS(Payload::allocate({-1}), InvariantViolation);
  CHECK_THROWS_AS(Payload::sized({-1}), InvariantViolation);
}

TEST_CASE("payload: copies are made, dropped on several threads", "[payload]") {
  const Payload payload = numbers(1'000);
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (double& sum : sums) {
    threads.emplace_back([&sum, mine = payload] {
      for (std::int64_t i = 0; i < 10'000; ++i) {
        const Payload part = mine.slice({4 * (i % 1'000)}, {4});
        const Payload copy = part;
        sum += copy.floats()[0];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  threads.clear();
  CHECK(payload.unshared());
  for (const double sum : sums) CHECK(sum == 10 * 499'500.0);
}
