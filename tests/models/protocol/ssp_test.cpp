// Stale synchronous parallel: the bound, lockstep, quotas.
#include "models/protocol/ssp.h"

#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"
#include "tests/support/trainings.h"

#include <catch2/catch.hpp>

using namespace foretrain;
using testing::set_option;
using testing::Shuffled;
using testing::small_training;

TEST_CASE("ssp: in lockstep the weights are the same bits whatever the order of arrival") {
  const int workers = GENERATE(1, 2, 4);
  const int servers = GENERATE(1, 3);
  CAPTURE(workers, servers);
  auto training = small_training("ssp", workers, servers, 5, Bytes{4'000});
  set_option(training->options, "staleness", 0);
  Shuffled first(training, 1);
  first.run();
  REQUIRE(first.finished == training->nodes());
  REQUIRE(first.faults.empty());
  CHECK(first.steps.size() == static_cast<std::size_t>(5 * workers));
  CHECK(first.most_lead == 0);
  CHECK(first.dropped == 0);
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    Shuffled other(training, seed);
    other.run();
    CHECK(other.weights == first.weights);
  }
}

TEST_CASE("ssp: nobody begins a step further ahead than the bound in fifty random orders") {
  const int bound = GENERATE(0, 1, 3);
  std::int64_t most = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(bound, seed);
    auto training = small_training("ssp", 3, 2, 12, Bytes{8'000});
    set_option(training->options, "staleness", bound);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.finished == training->nodes());
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.most_ahead <= bound);
    CHECK(shuffled.most_lead <= bound);
    most = std::max(most, shuffled.most_lead);
  }
  CHECK(most == bound);  // else nothing would be tested
}

TEST_CASE("ssp: a bound that nobody reaches is async") {
  auto bounded = small_training("ssp", 3, 1, 8);
  set_option(bounded->options, "staleness", 1'000);
  const auto free = small_training("async", 3, 1, 8);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Shuffled first(bounded, seed);
    Shuffled second(free, seed);
    first.run();
    second.run();
    CHECK(first.weights == second.weights);
    CHECK(first.most_lead == second.most_lead);
  }
}

TEST_CASE("quota: with their own, all workers do all their steps and nothing is dropped") {
  const std::string strategy = GENERATE("async", "ssp");
  CAPTURE(strategy);
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    auto training = small_training(strategy, 3, 2, 7, Bytes{8'000});
    set_option(training->options, "quota", "own");
    set_option(training->options, "staleness", 2);
    Shuffled shuffled(training, seed);
    shuffled.run();
    REQUIRE(shuffled.finished == training->nodes());
    CHECK(shuffled.faults.empty());
    CHECK(shuffled.dropped == 0);
    CHECK(shuffled.begun == std::vector<std::int64_t>{7, 7, 7});
    CHECK(shuffled.steps.size() == 21);
  }
}
