// The contract of the event queue.
#include "sim/engine/engine.h"

#include "models/base/check.h"
#include "models/base/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace foretrain::sim {
namespace {

struct EventLog : Actor {
  void wake(Instant now, std::uint64_t token) override {
    times.push_back(now);
    tokens.push_back(token);
  }
  std::vector<Instant> times;
  std::vector<std::uint64_t> tokens;
};

TEST_CASE("engine: events of one instant happen in the order in which they were scheduled") {
  Engine engine;
  EventLog recorder;
  for (std::uint64_t token = 0; token < 100; ++token) engine.schedule({7}, {&recorder, token});
  engine.schedule({3}, {&recorder, 100});
  engine.run();
  REQUIRE(recorder.tokens.front() == 100);
  for (std::uint64_t token = 0; token < 100; ++token) CHECK(recorder.tokens[token + 1] == token);
  CHECK(engine.now() == Instant{7});
  CHECK(engine.events() == 101);
}

TEST_CASE("engine: time never runs backwards") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Stream stream(seed, "test");
  Engine engine;
  EventLog recorder;
  for (int i = 0; i < 1000; ++i) {
    engine.schedule({static_cast<std::int64_t>(stream.below(500))}, {&recorder, 0});
  }
  engine.run();
  CHECK(std::is_sorted(recorder.times.begin(), recorder.times.end()));
  CHECK(recorder.times.size() == 1000);
}

TEST_CASE("engine: whoever is expected is woken with that token, of many at one instant") {
  struct Expecting : Actor {
    void wake(Instant /*now*/, std::uint64_t token) override { woken.push_back(token); }
    void expect(std::uint64_t token) const override {
      CHECK(std::ranges::find(woken, token) == woken.end());
      expected.push_back(token);
    }
    std::vector<std::uint64_t> woken;
    mutable std::vector<std::uint64_t> expected;
  };
  Engine engine;
  Expecting actor;
  for (std::uint64_t token = 0; token < 100; ++token) engine.schedule({7}, {&actor, token});
  engine.run();
  CHECK(actor.woken.size() == 100);
  REQUIRE(actor.expected.size() > 80);
  CHECK(std::ranges::includes(actor.woken, actor.expected));
}

TEST_CASE("engine: nothing can be scheduled in the past") {
  Engine engine;
  EventLog recorder;
  engine.schedule({5}, {&recorder, 0});
  engine.run();
  CHECK_THROWS_AS(engine.schedule({4}, {&recorder, 0}), InvariantViolation);
}

}  // namespace
}  // namespace foretrain::sim
