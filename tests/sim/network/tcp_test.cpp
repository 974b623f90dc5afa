// TCP's window, round by round, compared with RFC 5681.
#include "sim/network/tcp.h"

#include <catch2/catch.hpp>

namespace foretrain::sim {
namespace {
using namespace literals;

constexpr double kTen = 10.0 * (kSegment + kHeaders);

TEST_CASE("tcp: each packet of a message has its headers") {
  CHECK(framed(0) == 0);
  CHECK(framed(1) == 1 + 66);
  CHECK(framed(1448) == 1448 + 66);
  CHECK(framed(1449) == 1449 + 2 * 66);
}

TEST_CASE("tcp: the first window is ten segments and each round trip doubles it") {
  SlowStart start(10_ms);
  start.begin({});
  CHECK(start.allowance() == kTen);
  start.sent(kTen, Instant{} + 1_ms);
  CHECK(start.allowance() == 0);
  CHECK(start.next_round() == Instant{} + 10_ms);
  start.begin_round(Instant{} + 10_ms);
  CHECK(start.allowance() == 2 * kTen);
  start.sent(2 * kTen, Instant{} + 12_ms);
  start.begin_round(Instant{} + 20_ms);
  CHECK(start.allowance() == 4 * kTen);
}

TEST_CASE("tcp: once a window takes a round trip the path is full and nothing waits") {
  SlowStart start(10_ms);
  start.begin({});
  start.sent(kTen, Instant{} + 10_ms);
  CHECK(start.allowance() > 1e15);
}

TEST_CASE("tcp: a rest halves the window for each timeout, down to the first one") {
  SlowStart start(10_ms);
  start.begin({});
  start.sent(kTen, Instant{} + 1_ms);
  start.begin_round(Instant{} + 10_ms);
  start.sent(2 * kTen, Instant{} + 11_ms);
  start.begin_round(Instant{} + 20_ms);
  start.sent(4 * kTen, Instant{} + 21_ms);  // a window of four times the first
  SECTION("a short one leaves it as it is") {
    start.begin(Instant{} + 100_ms);
    CHECK(start.allowance() == 4 * kTen);
  }
  SECTION("one timeout, of at least 200 ms") {
    start.begin(Instant{} + 222_ms);
    CHECK(start.allowance() == 2 * kTen);
  }
  SECTION("many") {
    start.begin(Instant{} + 5_s);
    CHECK(start.allowance() == kTen);
  }
}

TEST_CASE("tcp: without a round trip no window binds") {
  SlowStart start(Duration{});
  start.begin({});
  CHECK(start.allowance() > 1e15);
}

}  // namespace
}  // namespace foretrain::sim
