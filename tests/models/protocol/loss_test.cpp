// Trainings that survive the loss of a worker at any time.
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

namespace {

struct Kind {
  const char* strategy;
  const char* quota;
  int staleness;
  int backups;
};

constexpr Kind kKinds[] = {{"async", "shared", 4, 0}, {"async", "own", 4, 0},
                           {"ssp", "shared", 2, 0},   {"ssp", "own", 1, 0},
                           {"ssp", "shared", 0, 0},   {"ssp", "own", 0, 0},
                           {"sync", "shared", 4, 1}};

}  // namespace

TEST_CASE("loss: a training without a worker goes on to its end, whenever it was lost") {
  const Kind kind = kKinds[GENERATE(range(0, 7))];
  const int servers = GENERATE(1, 2);
  CAPTURE(kind.strategy, kind.quota, kind.staleness, kind.backups, servers);
  int went_on = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    auto training = small_training(kind.strategy, 3, servers, 6, Bytes{8'000});
    set_option(training->options, "quota", kind.quota);
    set_option(training->options, "staleness", kind.staleness);
    set_option(training->options, "backup_workers", kind.backups);
    training->updates = 6;
    Shuffled shuffled(training, seed);
    shuffled.lose_after(static_cast<int>(2 + 5 * seed), 1 + static_cast<int>(seed % 2));
    shuffled.run();
    // Only one case gets stuck: shard 0 chose a gradient that another shard never gets.
    if (kind.backups > 0 && servers > 1 && !shuffled.faults.empty()) continue;
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished >= training->nodes() - 1);
    REQUIRE(!shuffled.weights.empty());
    ++went_on;
  }
  CHECK(went_on > 10);
}

TEST_CASE("loss: two of three workers may go where nobody waits for them") {
  const std::string strategy = GENERATE("async", "ssp");
  const std::string quota = GENERATE("shared", "own");
  CAPTURE(strategy, quota);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto training = small_training(strategy, 3, 2, 8, Bytes{8'000});
    set_option(training->options, "quota", quota);
    Shuffled shuffled(training, seed);
    shuffled.lose_after(5, 1);
    shuffled.lose_after(static_cast<int>(6 + 3 * seed), 2);
    shuffled.run();
    REQUIRE(shuffled.faults.empty());
    REQUIRE(shuffled.finished >= 3);  // the chief, both servers
    CHECK(!shuffled.weights.empty());
  }
}

TEST_CASE("loss: who may be lost") {
  const auto async = small_training("async", 3, 1, 8);
  CHECK(may_lose(*async, NodeId(1), 0));
  CHECK(may_lose(*async, NodeId(2), 1));
  CHECK_FALSE(may_lose(*async, NodeId(0), 0));
  CHECK_FALSE(may_lose(*async, NodeId(3), 0));
  const auto sync = small_training("sync", 3, 1, 8);
  CHECK_FALSE(may_lose(*sync, NodeId(1), 0));
  set_option(sync->options, "backup_workers", 1);
  CHECK(may_lose(*sync, NodeId(1), 0));
  CHECK_FALSE(may_lose(*sync, NodeId(2), 1));
}
