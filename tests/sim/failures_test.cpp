// Failing hosts that force restarts from checkpoints: closed forms, unchanged weights.
#include "scenarios/resolve/faults.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace foretrain::testing {
namespace {
using namespace literals;

// One worker with steps of 1 s on a host that fails.
Case failing_case(std::int64_t steps, double mtbf_s) {
  Case scenario_case = star_case("single", 1, steps, 1_s);
  HostSpec& host = scenario_case.scenario.cluster.hosts.front();
  host.mtbf = Duration::from_seconds(mtbf_s);
  host.restart_after = 5_s;
  return scenario_case;
}

double mean_time_s(Case scenario_case, int seeds) {
  double sum_s = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    scenario_case.scenario.seed = static_cast<std::uint64_t>(seed);
    const Record record = simulate(scenario_case);
    CAPTURE(seed, record.failure);
    REQUIRE(record.outcome == Outcome::done);
    const TrainingSpec& training = scenario_case.scenario.training;
    REQUIRE(record.gradients == training.steps * training.workers);
    sum_s += record.time.seconds();
  }
  return sum_s / seeds;
}

// Mean time from a checkpoint to the next: failures are exponential, restarts may fail, too (Daly
// 2006).
double expected_s(double work_s, double mtbf_s) {
  const double restart_s = 5;
  return mtbf_s * std::exp(restart_s / mtbf_s) * (std::exp(work_s / mtbf_s) - 1);
}

TEST_CASE("failures: with checkpoints the mean time is that of Daly 2006") {
  const double mtbf_s = GENERATE(200.0, 40.0);
  CAPTURE(mtbf_s);
  Case scenario_case = failing_case(100, mtbf_s);
  scenario_case.scenario.checkpoint.every.steps = 10;
  scenario_case.scenario.checkpoint.write_latency = 1_s;
  scenario_case.scenario.checkpoint.write_rate = {1e15};
  // Nine segments of ten steps end with a checkpoint, the last one with the training.
  const double expected = 9 * expected_s(11, mtbf_s) + expected_s(10, mtbf_s);
  CHECK(mean_time_s(scenario_case, 400) == Approx(expected).epsilon(0.03));
}

TEST_CASE("failures: without checkpoints all of it is done again, in the mean M (e^(T/M) - 1)") {
  const Case scenario_case = failing_case(30, 40);
  CHECK(mean_time_s(scenario_case, 1'000) == Approx(expected_s(30, 40)).epsilon(0.05));
}

TEST_CASE("failures: all hosts with a node count, others do not") {
  Case scenario_case = star_case("sync", 2, 60, 1_s);
  Scenario& scenario = scenario_case.scenario;
  for (HostSpec& host : scenario.cluster.hosts) {
    host.mtbf = 90_s;  // three of them: a failure in 30 s
    host.restart_after = 5_s;
  }
  HostSpec idle = scenario.cluster.hosts.front();
  idle.name = "idle";
  idle.mtbf = 1_s;
  idle.count = 1;
  scenario.cluster.hosts.push_back(idle);
  scenario.checkpoint.every.steps = 6;
  scenario.checkpoint.write_latency = 0_ms;
  scenario.checkpoint.write_rate = {1e15};
  CHECK(mean_time_s(scenario_case, 300) == Approx(10 * expected_s(6, 30)).epsilon(0.04));
}

TEST_CASE("failures: what is lost is told, and is part of the time") {
  Case scenario_case = failing_case(100, 30);
  scenario_case.scenario.checkpoint.every.steps = 10;
  scenario_case.scenario.checkpoint.write_latency = 0_ms;
  const Record record = simulate(scenario_case);
  const RestartTotals& of = record.restarts;
  REQUIRE(of.count > 0);
  CHECK(of.lost_steps > 0);
  CHECK(of.lost >= 1_s * of.lost_steps);
  CHECK(of.down > 4_s);
  CHECK((record.time - of.lost - of.down).seconds() == Approx(100).epsilon(0.001));
  CHECK(record.steps.size() == 100);
  CHECK(record.checkpoints.count == 9);
  // A repetition gives the same record; a summary gives the same sums.
  CHECK(simulate(scenario_case) == record);
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.usage_interval = {};
  options.summary_only = true;
  const Record summary = simulate(scenario_case, options);
  CHECK(summary.restarts == of);
  REQUIRE(summary.step_totals);
  CHECK(summary.step_totals->steps == 100);
}

// Steps of 5 ms; each of three hosts fails every 150 ms.
Case learning_case(const std::string& strategy, int workers, std::int64_t steps) {
  Case scenario_case = small_case(strategy, workers, steps);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.bucket_size = {8'000};
  scenario.training.evaluate_every = 3;
  scenario.training.optimizer.name = "adam";
  scenario.training.optimizer.learning_rate = 0.01;
  set_option(scenario.training.protocol, "staleness", std::int64_t{0});
  set_option(scenario.training.protocol, "local_steps", std::int64_t{2});
  HostSpec host;
  host.name = "node";
  host.count = 3;
  host.compute = 5_ms;
  host.restart_after = 10_ms;
  scenario.cluster.hosts.push_back(host);
  scenario.checkpoint.every.steps = 4;
  scenario.checkpoint.write_latency = 1_ms;
  return scenario_case;
}

TEST_CASE("failures: deterministic strategies end with the weights of a training without them") {
  const std::string strategy =
      GENERATE("single", "sync", "ssp", "all_reduce", "local_sgd", "gather_scatter");
  const bool kept = GENERATE(true, false);
  CAPTURE(strategy, kept);
  Case scenario_case = learning_case(strategy, strategy == "single" ? 1 : 2, 40);
  if (!kept) scenario_case.scenario.checkpoint = {};
  if (strategy == "ssp") {  // it continues without a worker that has its own host
    scenario_case.scenario.cluster.hosts.front().cores = 2;
    scenario_case.scenario.cluster.placement = {{"node0", "node0"}, {"node1"}};
  }
  scenario_case.scenario.cluster.hosts.front().mtbf = kept ? 150_ms : 400_ms;
  std::int64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    // The seed determines failures and data, so expected weights are per seed.
    scenario_case.scenario.seed = seed;
    Case plain = scenario_case;
    plain.scenario.cluster.hosts.front().mtbf = {};
    const Record whole = simulate(plain);
    const Record record = simulate(scenario_case);
    CAPTURE(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    REQUIRE(whole.weights_sha256.size() == 64);
    CHECK(record.weights_sha256 == whole.weights_sha256);
    CHECK(record.gradients == whole.gradients);
    CHECK(record.steps.size() == whole.steps.size());
    CHECK(record.evals.size() == whole.evals.size());
    failures += record.restarts.count;
  }
  CHECK(failures > 0);
}

TEST_CASE("failures: a step that is done again is as slow as it was") {
  Case scenario_case = failing_case(60, 20);
  Scenario& scenario = scenario_case.scenario;
  scenario.checkpoint.every.steps = 5;
  scenario.checkpoint.write_latency = 0_ms;
  scenario.stragglers.resize(1);
  scenario.stragglers.front().distribution = "exponential";
  Case plain = scenario_case;
  plain.scenario.cluster.hosts.front().mtbf = {};
  const Record whole = simulate(plain);
  const Record record = simulate(scenario_case);
  REQUIRE(record.restarts.count > 0);
  REQUIRE(record.steps.size() == whole.steps.size());
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    CAPTURE(i);
    CHECK(record.steps[i].report.phases.compute == whole.steps[i].report.phases.compute);
  }
}

TEST_CASE("failures: asynchronous workers, backups go on with every gradient once, times or not") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  const bool numerics = GENERATE(true, false);
  CAPTURE(strategy, numerics);
  Case scenario_case = learning_case(strategy, 2, 60);
  Scenario& scenario = scenario_case.scenario;
  set_option(scenario.training.protocol, "staleness", std::int64_t{2});
  if (strategy == "sync") set_option(scenario.training.protocol, "backup_workers", std::int64_t{1});
  if (!numerics) scenario.training.evaluate_every = 0;
  scenario.numerics = numerics;
  const Record whole = simulate(scenario_case);
  scenario.cluster.hosts.front().mtbf = 150_ms;
  std::int64_t failures = 0;
  std::size_t away = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    scenario.seed = seed;
    const Record record = simulate(scenario_case);
    CAPTURE(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    CHECK(record.gradients == whole.gradients);
    CHECK(record.updates == whole.updates);
    std::set<std::pair<int, std::int64_t>> steps;
    for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
    CHECK(steps.size() == record.steps.size());
    failures += record.restarts.count;
    away += record.nodes[1].away.size();
  }
  CHECK(failures > 0);
  CHECK(away > 0);  // its host has no other node
}

TEST_CASE("failures: what has happened does not happen again, who was lost is back") {
  Case scenario_case = star_case("async", 2, 40, 1_s);
  Scenario& scenario = scenario_case.scenario;
  scenario.faults.push_back({.at = 500_ms, .kill = "worker1"});
  scenario.cluster.hosts.front().mtbf = 100_s;
  scenario.cluster.hosts.front().restart_after = 5_s;
  int set_back = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    scenario.seed = seed;
    const Record record = simulate(scenario_case);
    CAPTURE(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    if (record.restarts.count > 0) ++set_back;
    CHECK((record.nodes[1].lost == death_at(500_ms)) == (record.restarts.count == 0));
  }
  CHECK(set_back > 0);
}

TEST_CASE("failures: a training that would never end says so") {
  const Record record = simulate(failing_case(1'000, 2));
  CHECK(record.outcome == Outcome::failed);
  CHECK_THAT(record.failure, Catch::Contains("failed 1000 times before the next checkpoint"));
}

}  // namespace
}  // namespace foretrain::testing
