// Whatever happens to the workers of a training, it ends, or says why it cannot.
#include "models/base/random.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

int any_below(Stream& draw, int bound) {
  return static_cast<int>(draw.below(static_cast<std::uint64_t>(bound)));
}

Duration any_up_to(Stream& draw, Duration most) {
  return {1 + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(most.ns)))};
}

StragglerSpec any_straggler(Stream& draw, int workers) {
  StragglerSpec spec;
  spec.workers = {any_below(draw, workers)};
  switch (draw.below(4)) {
    case 0:
      spec.pause = any_up_to(draw, 20_ms);
      spec.every = any_up_to(draw, 20_ms) + 1_ms;
      if (draw.below(2) == 0) spec.workers.clear();
      break;
    case 1:
      spec.joins_at = any_up_to(draw, 20_ms);
      break;
    case 2:
      spec.dies_at = 20_ms + any_up_to(draw, 30_ms);
      break;
    default:
      spec.distribution = "exponential";
  }
  return spec;
}

Case any_case(Stream& draw) {
  constexpr std::array kStrategies{"single", "sync", "async", "ssp", "all_reduce"};
  const std::string strategy = kStrategies.at(draw.below(kStrategies.size()));
  const int workers = strategy == "single" ? 1 : 2 + any_below(draw, 5);
  const auto steps = static_cast<std::int64_t>(1 + draw.below(30));
  Case scenario_case = draw.below(2) == 0 ? small_case(strategy, workers, steps)
                                          : star_case(strategy, workers, steps, 1_ms);
  Scenario& scenario = scenario_case.scenario;
  scenario.numerics = false;
  scenario.seed = draw.bits();
  for (HostSpec& host : scenario.cluster.hosts) {
    host.nic = {1e6 * static_cast<double>(1 + draw.below(1'000))};
    host.latency = any_up_to(draw, 1_ms);
  }
  TrainingSpec& training = scenario.training;
  if (strategy == "async" || strategy == "ssp") {
    training.servers = 1 + any_below(draw, 3);
    training.protocol.quota = draw.below(2) == 0 ? "own" : "shared";
  }
  if (strategy == "sync") training.protocol.backup_workers = any_below(draw, workers);
  if (strategy == "ssp") training.protocol.staleness = any_below(draw, 4);
  training.bucket_size = {draw.below(2) == 0 ? 4'000 : 1'000'000};
  training.overlap = draw.below(2) == 0;
  for (std::uint64_t i = draw.below(5); i > 0; --i) {
    scenario.stragglers.push_back(any_straggler(draw, workers));
  }
  return scenario_case;
}

TEST_CASE("interruptions: whatever happens to its workers a training ends or says who is missing") {
  int done = 0;
  int lost = 0;
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    Stream draw(seed, "any training");
    const Record record = simulate(any_case(draw));
    INFO(record.failure);
    Bytes sent;
    Bytes read;
    for (const NodeTotals& node : record.nodes) {
      sent += node.tx;
      read += node.rx + node.undelivered;
      if (!node.lost.empty()) ++lost;
    }
    CHECK(sent >= read);  // the rest is under way
    if (record.outcome == Outcome::done) {
      ++done;
    } else {
      ++failed;
      CHECK(record.failure.find(" died at ") != std::string::npos);
    }
  }
  CHECK(done > 300);
  CHECK(lost > 20);
  CHECK(failed > 20);
}

}  // namespace
}  // namespace foretrain::testing
