// The comparison of two made-up modes.
#include "reports/studies/validation/validation.h"

#include "reports/studies/validation/goals.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain {
namespace {

using namespace testing;

std::vector<Record> two_runs(const Case& c) {
  return {timed(Mode::run, c, 100), timed(Mode::run, c, 100)};
}

}  // namespace

TEST_CASE("validate: measured is the median, spread half the interquartile range over it") {
  const auto v = validate_times({{140, 100, 90, 200, 110}, 121}, {{50, 50, 50, 50, 50}, 40});
  const Comparison& time = metric(v.cases[0], "time_s");
  CHECK(time.measured == Approx(0.110));
  CHECK(time.q1 == Approx(0.100));
  CHECK(time.q3 == Approx(0.140));
  CHECK(time.spread.value() == Approx((140.0 - 100.0) / 2 / 110));
  CHECK(time.predicted == Approx(0.121));
  CHECK(time.error.value() == Approx(0.1));
  CHECK(time.difference == Approx(0.011));
  CHECK_FALSE(time.exact);
  CHECK(metric(v.cases[0], "step_time_ms").measured == Approx(11));
  CHECK(metric(v.cases[0], "gradients_per_s").measured == Approx(4 / 0.110));
  CHECK(metric(v.cases[0], "examples_per_s").measured == Approx(4 * 32 / 0.110));
  CHECK(metric(v.cases[0], "compute_ms").predicted == Approx(12.1));
  CHECK(metric(v.cases[1], "time_s").error.value() == Approx(-0.2));
  CHECK(v.cases[0].run.time == Duration{110'000'000});
}

TEST_CASE("validate: one run has no spread") {
  const auto v = validate_times({{100}, 100}, {{50}, 50});
  CHECK_FALSE(metric(v.cases[0], "time_s").spread.has_value());
}

TEST_CASE("validate: bytes and messages are exact where every run sent what was predicted") {
  const Case c = case_of("sync");
  std::vector<Record> runs = two_runs(c);
  const auto check = [&](const std::string& name) {
    return metric(compare_case(c, {runs, timed(Mode::simulate, c, 100)}), name);
  };
  CHECK(check("bytes_sent").exact);
  CHECK(check("bytes_sent").error.value() == 0);
  CHECK(check("messages_sent").exact);
  CHECK(check("messages_sent").measured == 20);
  runs[1].nodes[0].tx += Bytes{1};
  runs[1].nodes[0].messages_sent += 1;
  CHECK_FALSE(check("bytes_sent").exact);
  CHECK_FALSE(check("messages_sent").exact);
}

TEST_CASE("validate: each node has its CPU and memory, the worst of them is found") {
  const Case c = case_of("sync");
  Record simulated = timed(Mode::simulate, c, 100);
  simulated.nodes[0].cpu_s += 0.006;
  simulated.nodes[1].cpu_s -= 0.012;
  simulated.nodes[0].rss = Bytes{1'500'000};
  simulated.nodes[1].rss = Bytes{2'500'000};
  const CaseValidation v = compare_case(c, {two_runs(c), simulated});
  const Comparison* cpu = v.worst_node("cpu_percent");
  REQUIRE(cpu != nullptr);
  CHECK(cpu->node == "worker1");
  CHECK(cpu->difference == Approx(-10));  // 12 ms of 120 ms
  const Comparison* memory = v.worst_node("rss_bytes");
  REQUIRE(memory != nullptr);
  CHECK(memory->node == "worker0");       // 50 % off; worker1 is 25 % off
  CHECK(v.find("rss_bytes") == nullptr);  // it is per node
  int servers = 0;
  for (const Comparison& each : v.comparisons) servers += each.node == "server0" ? 1 : 0;
  CHECK(servers == 1);  // its memory is unknown
}

TEST_CASE("validate: what is not zero against a measured zero has no relative error") {
  const Case c = case_of("async");
  Record run = timed(Mode::run, c, 100);
  for (StepRow& row : run.steps) row.report.staleness = 0;
  const CaseValidation v = compare_case(c, {{run}, timed(Mode::simulate, c, 100)});
  const Comparison& staleness = metric(v, "staleness_mean");
  CHECK_FALSE(staleness.error.has_value());
  CHECK(staleness.difference == Approx(1.25));
  CHECK(metric(v, "push_ms").error.value() == 0);  // zero against zero
}

TEST_CASE("validate: distributions of staleness are pooled over the runs and compared") {
  const Case c = case_of("async");
  std::vector<Record> runs = two_runs(c);
  for (StepRow& row : runs[1].steps) row.report.staleness = 1;
  // Runs: 0, 1, 1, 3 and four ones; simulation: 0, 1, 1, 3. The largest difference is from 1 on:
  // 7/8 to 3/4.
  const CaseValidation v = compare_case(c, {runs, timed(Mode::simulate, c, 100)});
  CHECK(v.staleness_distance.value() == Approx(0.125));
  const Case sync = case_of("sync");
  CHECK_FALSE(compare_case(sync, {two_runs(sync), timed(Mode::simulate, sync, 100)})
                  .staleness_distance.has_value());
}

TEST_CASE("validate: what one mode does not know is not compared") {
  const Case c = case_of("sync");
  Record simulated = timed(Mode::simulate, c, 100);
  simulated.evals.clear();
  simulated.weights_sha256.clear();
  const Validation v{{compare_case(c, {two_runs(c), simulated})}, 2, 0};
  CHECK(v.cases[0].find("test_accuracy") == nullptr);
  CHECK_FALSE(v.weights_equal().has_value());
}

TEST_CASE("validate: weights are compared where the protocol is deterministic") {
  const Case sync = case_of("sync");
  std::vector<Record> runs = two_runs(sync);
  const auto equal = [&] {
    return compare_case(sync, {runs, timed(Mode::simulate, sync, 100)}).weights_equal;
  };
  CHECK(equal() == std::optional(true));
  runs[1].weights_sha256[63] = 'b';
  CHECK(equal() == std::optional(false));
  runs[1].kernel_set = "avx512";  // another order of sums, so not comparable
  CHECK_FALSE(equal().has_value());
  const Case async = case_of("async");
  CHECK_FALSE(compare_case(async, {two_runs(async), timed(Mode::simulate, async, 100)})
                  .weights_equal.has_value());
}

TEST_CASE("validate: an error is the protocol's, with the run's own compute times, and compute's") {
  const Case c = case_of("sync");
  std::vector<Record> runs{timed(Mode::run, c, 100), timed(Mode::run, c, 110),
                           timed(Mode::run, c, 90)};
  std::int64_t asked_ms = 0;
  const OwnTimes own = [&](const Record& run) {
    asked_ms = run.time.ns / 1'000'000;
    return std::optional(timed(Mode::simulate, c, 98));
  };
  const auto v = compare_case(c, {runs, timed(Mode::simulate, c, 120)}, {}, own);
  CHECK(asked_ms == 100);  // the median run
  const Comparison& step = metric(v, "step_time_ms");
  CHECK(step.error.value() == Approx(0.2));
  CHECK(step.protocol_error.value() == Approx(-0.02));
  CHECK(step.compute_error().value() == Approx(0.22));
  CHECK(metric(v, "compute_ms").protocol_error.value() == Approx(-0.02));
  const auto none = compare_case(c, {runs, timed(Mode::simulate, c, 120)}, {},
                                 [](const Record&) { return std::optional<Record>(); });
  CHECK_FALSE(metric(none, "step_time_ms").protocol_error.has_value());
  CHECK_FALSE(metric(none, "step_time_ms").compute_error().has_value());
}

TEST_CASE("validate: times and rates have the range of the forecast") {
  const Case c = case_of("sync");
  const auto step = [&](std::int64_t ms) {
    return compare_case(c, {{timed(Mode::run, c, ms)}, calibrated(c, 100)});
  };
  const CaseValidation v = step(100);
  // 0.9 to 1.25 times as fast, 15 % for protocol, transport, network.
  CHECK(metric(v, "step_time_ms").predicted_low == Approx(7.65));
  CHECK(metric(v, "step_time_ms").predicted_high == Approx(14.375));
  const Comparison& rate = metric(v, "gradients_per_s");
  CHECK(rate.predicted_low == Approx(rate.predicted / 1.4375));
  CHECK(rate.predicted_high == Approx(rate.predicted / 0.765));
  CHECK(metric(v, "step_time_ms").in_range() == std::optional(true));
  CHECK(metric(step(144), "step_time_ms").in_range() == std::optional(false));
  CHECK(metric(step(76), "step_time_ms").in_range() == std::optional(false));
  CHECK_FALSE(metric(v, "bytes_sent").in_range());
}

TEST_CASE("validate: what has no order of its own is replayed, the rest is not") {
  int replays = 0;
  std::string weights(64, 'a');
  const auto compare = [&](const std::string& strategy) {
    const Case c = case_of(strategy);
    std::vector<Record> runs = two_runs(c);
    for (Record& run : runs) run.inputs.emplace_back();
    return compare_case(c, {runs, timed(Mode::simulate, c, 100)}, [&](const Record& run) {
      ++replays;
      Record again = run;
      again.weights_sha256 = weights;
      return again;
    });
  };
  CHECK_FALSE(compare("sync").replay_equal.has_value());
  CHECK(replays == 0);
  CHECK(compare("async").replay_equal == std::optional(true));
  CHECK(compare("async").replay_bytes_equal == std::optional(true));
  weights[0] = 'b';
  const Validation v{{compare("async"), compare("sync")}, 2, 0};
  CHECK(v.cases[0].replay_equal == std::optional(false));
  CHECK(v.replays_equal() == std::optional(false));
  CHECK(v.weights_equal() == std::optional(true));
  CHECK(replays == 3);
}

TEST_CASE("validate: bytes without an order of their own are held to those of the replay") {
  const Case c = case_of("async");
  const auto met = [&](Bytes more) {
    Record simulated = timed(Mode::simulate, c, 100);
    simulated.nodes[0].tx += Bytes{1};  // the forecast has another order
    std::vector<Record> runs = two_runs(c);
    for (Record& run : runs) run.inputs.emplace_back();
    const Validation v{{compare_case(c, {runs, simulated},
                                     [&](const Record& run) {
                                       Record again = run;
                                       again.nodes[0].tx += more;
                                       return again;
                                     })},
                       2,
                       0};
    return std::ranges::any_of(goals_of(v), [](const Goal& goal) {
      return goal.name.starts_with("bytes sent") && goal.is_met();
    });
  };
  CHECK(met(Bytes{0}));
  CHECK_FALSE(met(Bytes{1}));
}

TEST_CASE("validate: a replay that cannot be done is told as one that differs") {
  const Case c = case_of("async");
  std::vector<Record> runs = two_runs(c);
  runs[0].inputs.emplace_back();
  const CaseValidation v = compare_case(
      c, {runs, timed(Mode::simulate, c, 100)},
      [](const Record&) -> Record { throw InputError("input 3 of worker0: no such message"); });
  CHECK(v.replay_equal == std::optional(false));
  CHECK(v.replay_failure == "input 3 of worker0: no such message");
}

TEST_CASE("validate: time to target is between evaluations and compared where all reached it") {
  Case c = case_of("sync");
  c.scenario.training.until.accuracy = 0.6875;  // half way from 0.5 to 0.875
  std::vector<Record> runs = two_runs(c);
  const auto compare = [&] { return compare_case(c, {runs, timed(Mode::simulate, c, 100)}); };
  CHECK(metric(compare(), "time_to_target_s").measured == Approx(0.055));  // of 10 and 100 ms
  CHECK(compare().reached == 2);
  CHECK(compare().reach_predicted);
  runs[0].evals.back().accuracy = 0.6;
  CHECK(compare().reached == 1);
  CHECK(compare().find("time_to_target_s") == nullptr);
}

TEST_CASE("validate: cases that differ in their seed alone are a group with medians over seeds") {
  Validation v{{}, 1, 0};
  const auto add = [&](const std::string& strategy, std::uint64_t seed, const Times& times) {
    Case c = case_with(strategy, "seed", std::to_string(seed));
    c.scenario.seed = seed;
    v.cases.push_back(compare_times(c, times));
  };
  add("sync", 1, {{100}, 90});
  add("async", 1, {{10}, 10});
  add("sync", 2, {{130}, 120});
  add("sync", 3, {{110}, 200});
  const auto groups = seed_groups(v);
  REQUIRE(groups.size() == 1);  // async has one seed
  CHECK(groups[0].members == std::vector<std::size_t>{0, 2, 3});
  CHECK(title_of(groups[0].scenario_case) == "sync");
  const Comparison& step = groups[0].comparisons.front();
  CHECK(step.metric == "step_time_ms");
  CHECK(step.measured == Approx(11));
  CHECK(step.predicted == Approx(12));
  CHECK(step.error.value() == Approx(1.0 / 11));
}

TEST_CASE("validate: errors of a strategy are over its cases, without signs") {
  Validation v{{}, 1, 0};
  for (const std::int64_t predicted : {80, 90, 100}) {
    v.cases.push_back(compare_times(case_of("sync"), {{100}, predicted}));
  }
  const ErrorRange range = v.errors("time_s").at("sync");
  CHECK(range.median == Approx(0.1));
  CHECK(range.p95 == Approx(0.19));
  CHECK(range.max == Approx(0.2));
}

}  // namespace foretrain
