// Messages through a star take what sharing its ports takes.
#include "sim/network/star.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

namespace foretrain::sim {
namespace {
using namespace literals;

constexpr Nic kNic{{1e6}, {10'000}};  // 1 MB/s, 10 us

struct Arrivals : Actor {
  void wake(Instant now, std::uint64_t token) override {
    if (token >= at.size()) at.resize(token + 1);
    at[token] = now;
  }
  std::vector<Instant> at;
};

TEST_CASE("star: a lone message takes its size over the rate, and both latencies") {
  Engine engine;
  StarNetwork star(engine, {kNic, kNic});
  Arrivals arrivals;
  star.transfer(0, 1, {1000}, {&arrivals, 0});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 1_ms + 20_us);
}

TEST_CASE("star: N messages into one port take N times as long") {
  Engine engine;
  StarNetwork star(engine, std::vector<Nic>(5, kNic));
  Arrivals arrivals;
  for (std::size_t sender = 0; sender < 4; ++sender) {
    star.transfer(sender, 4, {1000}, {&arrivals, sender});
  }
  engine.run();
  for (const Instant at : arrivals.at) CHECK(at == Instant{} + 4_ms + 20_us);
}

TEST_CASE("star: the two directions of a port do not share") {
  Engine engine;
  StarNetwork star(engine, {kNic, kNic});
  Arrivals arrivals;
  star.transfer(0, 1, {1000}, {&arrivals, 0});
  star.transfer(1, 0, {1000}, {&arrivals, 1});
  engine.run();
  CHECK(arrivals.at[0] == Instant{} + 1_ms + 20_us);
  CHECK(arrivals.at[1] == Instant{} + 1_ms + 20_us);
}

TEST_CASE("star: a message that comes second slows the first down for as long as it lasts") {
  Engine engine;
  StarNetwork star(engine, std::vector<Nic>(3, kNic));
  Arrivals arrivals;
  struct Later : Actor {
    void wake(Instant, std::uint64_t) override { start(); }
    std::function<void()> start;
  } later;
  later.start = [&] { star.transfer(1, 2, {500}, {&arrivals, 1}); };
  star.transfer(0, 2, {2000}, {&arrivals, 0});
  engine.schedule(Instant{} + 1_ms, {&later, 0});
  engine.run();
  // 1 ms alone, 1 ms at half rate while 500 bytes pass beside it, 0.5 ms alone.
  CHECK(arrivals.at[1] == Instant{} + 2_ms + 20_us);
  CHECK(arrivals.at[0] == Instant{} + 2_ms + 500_us + 20_us);
}

}  // namespace
}  // namespace foretrain::sim
