// Two simulations with the same seed write the same bytes.
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/record_bytes.h"

#include <catch2/catch.hpp>

#include <future>
#include <string>

namespace foretrain::testing {
namespace {

Record simulate_fully(const Case& scenario_case) {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {1'000'000};
  return simulate(scenario_case, options);
}

TEST_CASE("determinism: two simulations of one seed write byte-equal records") {
  const std::string strategy = GENERATE("single", "sync", "async");
  const bool numerics = GENERATE(true, false);
  CAPTURE(strategy, numerics);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 3, 40);
  scenario_case.scenario.numerics = numerics;
  scenario_case.scenario.training.evaluate_every = 10;
  StragglerSpec spec;
  spec.distribution = "exponential";
  scenario_case.scenario.stragglers = {spec};
  const std::string first = record_bytes(simulate_fully(scenario_case));
  CHECK(first.size() > 2'000);
  // Runs on another thread, whose allocations come from another part of memory.
  auto again = std::async(std::launch::async, [&] { return simulate_fully(scenario_case); });
  CHECK(first == record_bytes(again.get()));
  scenario_case.scenario.seed = 2;
  CHECK(first != record_bytes(simulate_fully(scenario_case)));
}

TEST_CASE("determinism: times do not depend on whether the gradients are carried out") {
  const std::string strategy = GENERATE("single", "sync", "async");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, strategy == "single" ? 1 : 2, 40);
  const Record with = simulate(scenario_case);
  scenario_case.scenario.numerics = false;
  const Record without = simulate(scenario_case);
  CHECK(with.time == without.time);
  REQUIRE(with.steps.size() == without.steps.size());
  for (std::size_t i = 0; i < with.steps.size(); ++i) {
    CHECK(with.steps[i].report.start == without.steps[i].report.start);
    CHECK(with.steps[i].report.staleness == without.steps[i].report.staleness);
  }
  CHECK(!with.weights_sha256.empty());
  CHECK(without.weights_sha256.empty());
}

TEST_CASE("simulate: messages of one connection keep their order, whatever wakes whom") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Case scenario_case = small_case("async", 3, 8);
    scenario_case.scenario.seed = seed;
    scenario_case.scenario.numerics = false;
    scenario_case.scenario.training.bucket_size = {4'000};
    sim::SimulateOptions options;
    options.machines = [](const std::string&) {
      Machine machine = made_up_machine();
      machine.models.begin()->second.gradient_jitter = 0.1;
      machine.loopback.wake = {250'000};
      return machine;
    };
    const Record record = simulate(scenario_case, options);
    CHECK(record.failure.empty());
  }
}

/// Whether the samples add up to all bytes that the nodes have sent.
bool usage_adds_up(const Record& record) {
  Bytes all;
  for (const NodeTotals& node : record.nodes) all += node.tx;
  Bytes sampled;
  for (const UsageRow& row : record.usage) sampled += row.tx;
  return all.value > 0 && sampled == all;
}

TEST_CASE("simulate: usage is thinned where it would outgrow the training") {
  Case scenario_case = star_case("sync", 2, 3'000, Duration{1'000'000'000});
  sim::SimulateOptions options;
  const Record record = simulate(scenario_case, options);  // 3,000 s, 30,000 samples per node
  CHECK(record.usage.size() <= 3 * (sim::kMostUsageRows + 1));
  CHECK(record.usage.size() >= 3 * sim::kMostUsageRows / 4);
  CHECK(usage_adds_up(record));
}

TEST_CASE("simulate: usage of very many nodes is thinned sooner") {
  constexpr std::size_t kNodes = 501;
  Case scenario_case = star_case("sync", kNodes - 1, 4, Duration{1'000'000'000});
  sim::SimulateOptions options;
  options.usage_interval = {500'000};  // about 8,000 samples per node
  const Record record = simulate(scenario_case, options);
  CHECK(record.usage.size() <= sim::kMostUsageRowsOfAll);
  CHECK(record.usage.size() >= sim::kMostUsageRowsOfAll / 3);
  CHECK(record.usage.size() % kNodes == 0);
  CHECK(usage_adds_up(record));
}

TEST_CASE("determinism: the phases of every simulated step add up to it") {
  const Record record = simulate(small_case("async", 3, 60));
  std::vector<Instant> next(3);
  for (const StepRow& row : record.steps) {
    CHECK(row.report.start == next[row.worker]);
    next[row.worker] = row.report.start + length_of(row.report.phases);
  }
}

}  // namespace
}  // namespace foretrain::testing
