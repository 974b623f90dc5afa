// Trainings that stop at a target, in virtual time.
#include "reports/record/summary.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

Case aiming(const std::string& strategy, int workers, const Target& target) {
  Case scenario_case = small_case(strategy, workers, 60);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.evaluate_every = 4;
  scenario.training.until = target;
  set_option(scenario.training.protocol, "staleness", 1);
  return scenario_case;
}

TEST_CASE("until: a simulation of every strategy ends at the first evaluation that reaches it") {
  const auto [strategy, workers, servers, backups] =
      GENERATE(table<std::string, int, int, int>({{"single", 1, 1, 0},
                                                  {"sync", 3, 2, 0},
                                                  {"sync", 4, 2, 1},
                                                  {"async", 3, 2, 0},
                                                  {"ssp", 3, 2, 0},
                                                  {"all_reduce", 3, 1, 0}}));
  CAPTURE(strategy, backups);
  const Target target{.accuracy = 0.6};
  Case scenario_case = aiming(strategy, workers, target);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = servers;
  set_option(scenario.training.protocol, "backup_workers", backups);
  scenario.training.bucket_size = {8'000};
  StragglerSpec jitter;
  jitter.distribution = "exponential";
  scenario.stragglers = {jitter};
  const Record record = simulate(scenario_case);
  INFO(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  REQUIRE(record.evals.size() >= 3);
  for (std::size_t i = 0; i + 1 < record.evals.size(); ++i) {
    const bool last = i + 2 == record.evals.size();
    CHECK(target.reached(record.evals[i].loss, record.evals[i].accuracy) == last);
  }
  const EvalReport& judged = record.evals[record.evals.size() - 2];
  const Summary summary = summarize(record);
  const Duration reached = std::min(judged.time - Instant{}, record.time);
  CHECK(summary.time_to_target_s.value() == Approx(reached.seconds()));
  CHECK(record.gradients == summary.steps);
  CHECK(record.gradients < 60 * workers);
  CHECK(record.updates == record.evals.back().version.value);
  CHECK(record.weights_sha256.size() == 64);
  // If the strategy has an order, the evaluated weights are the final ones.
  if (strategy == "async" || strategy == "ssp" || backups > 0) return;
  CHECK(record.updates == judged.version.value);
  CHECK(record.evals.back().loss == judged.loss);
}

TEST_CASE("until: a simulation that does not get there runs to its end") {
  const std::string strategy = GENERATE("single", "sync", "async", "ssp", "all_reduce");
  CAPTURE(strategy);
  const int workers = strategy == "single" ? 1 : 2;
  const Record record = simulate(aiming(strategy, workers, {.accuracy = 1, .loss = 1e-4}));
  REQUIRE(record.outcome == Outcome::done);
  CHECK(record.gradients == 60 * workers);
  CHECK_FALSE(summarize(record).time_to_target_s.has_value());
}

TEST_CASE("until: a worker that is late or lost does not hold up the end") {
  Case scenario_case = aiming("async", 3, {.accuracy = 0.6});
  scenario_case.scenario.faults = {{.at = 2_ms, .kill = "worker2"}};
  const Record record = simulate(scenario_case);
  INFO(record.failure);
  REQUIRE(record.outcome == Outcome::done);
  CHECK_FALSE(record.nodes[2].lost.empty());
  CHECK(summarize(record).time_to_target_s.has_value());
}

TEST_CASE("until: a chief that is slow, or always late, looks as often as updates say") {
  const auto [strategy, backups] =
      GENERATE(table<std::string, int>({{"async", 0}, {"sync", 1}, {"ssp", 0}}));
  CAPTURE(strategy);
  Case scenario_case = aiming(strategy, 4, {});
  Scenario& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "staleness", 1000);
  set_option(scenario.training.protocol, "backup_workers", backups);
  StragglerSpec slow;
  slow.workers = {0};
  slow.slowdown = 4;
  scenario.stragglers = {slow};
  const Record record = simulate(scenario_case);
  REQUIRE(record.outcome == Outcome::done);
  // Four steps of four workers are 16 updates, or 4 if gradients are dropped. While the chief makes
  // a gradient the others make 12 or more, or three steps, so its evaluation is some of its own
  // steps late.
  const std::int64_t every = strategy == "sync" ? 4 : 16;
  const std::int64_t late = strategy == "sync" ? 12 : 48;
  REQUIRE(record.evals.size() >= 6);
  std::int64_t before = 0;
  for (const EvalReport& eval : record.evals) {
    CHECK(eval.version.value <= before + every + late);
    before = eval.version.value;
  }
  CHECK(record.evals.back().final);
  CHECK(record.evals.back().version.value == record.updates);
}

TEST_CASE("until: a chief as fast as the others evaluates after every so many of its steps") {
  const std::string strategy = GENERATE("sync", "async");
  Case scenario_case = star_case(strategy, 3, 60, 1_ms);
  scenario_case.scenario.training.evaluate_every = 4;
  const Record record = simulate(scenario_case);
  REQUIRE(record.evals.size() == 15);
  for (std::size_t i = 0; i + 1 < record.evals.size(); ++i) {
    const auto due = 4 * static_cast<std::int64_t>(i + 1);
    CHECK(record.evals[i].step.value >= due);
    CHECK(record.evals[i].step.value <= due + (strategy == "sync" ? 0 : 1));
  }
}

}  // namespace
}  // namespace foretrain::testing
