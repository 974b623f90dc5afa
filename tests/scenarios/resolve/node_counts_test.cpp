// Numbers of nodes by strategy.
#include "scenarios/resolve/placement.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

using namespace foretrain;

TEST_CASE("node counts: a strategy without servers or other workers has none whatever is asked") {
  Scenario scenario;
  scenario.training.workers = 3;
  scenario.training.servers = 2;
  const auto counts_of = [&](const std::string& strategy) {
    scenario.training.strategy = strategy;
    const NodeCounts counts = node_counts(scenario);
    return std::pair(counts.workers, counts.servers);
  };
  CHECK(counts_of("sync") == std::pair(3, 2));
  CHECK(counts_of("all_reduce") == std::pair(3, 0));
  CHECK(counts_of("single") == std::pair(1, 0));
  CHECK(node_counts(scenario).nodes() == 1);
}
