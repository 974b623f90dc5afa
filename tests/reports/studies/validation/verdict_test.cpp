// Verdicts on cases, strategies, goals.
#include "reports/studies/validation/verdict.h"

#include "reports/studies/validation/goals.h"
#include "reports/studies/validation/output.h"
#include "tests/reports/studies/validation/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain {
namespace {

using namespace testing;

Verdict verdict(const Times& times) {
  return verdict_of(compare_times(case_of("sync"), times)).value();
}

const Goal* find(const std::vector<Goal>& goals, const std::string& name) {
  const auto found = std::ranges::find(goals, name, &Goal::name);
  return found == goals.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("verdict: a steady case is held within five per cent, off beyond") {
  CHECK(name_of(verdict({{100, 100, 101}, 104})) == "held");
  CHECK(name_of(verdict({{100, 100, 101}, 106})) == "off");
  CHECK(name_of(verdict({{100, 100, 101}, 94})) == "off");
  CHECK(name_of(verdict({{100}, 96})) == "held");  // a single run has no spread
}

TEST_CASE("verdict: a noisy case is judged by the quartiles of its runs") {
  // The quartiles are 80 and 120; half their distance is 20 % of the median.
  CHECK(name_of(verdict({{60, 80, 100, 120, 140}, 119})) == "noisy, inside quartiles");
  CHECK(name_of(verdict({{60, 80, 100, 120, 140}, 81})) == "noisy, inside quartiles");
  CHECK(name_of(verdict({{60, 80, 100, 120, 140}, 121})) == "noisy, outside quartiles");
  CHECK(name_of(verdict({{60, 80, 100, 120, 140}, 79})) == "noisy, outside quartiles");
}

TEST_CASE("verdict: of a case that is off the phase is named that differs most") {
  const Case c = case_of("sync");
  Record run = timed(Mode::run, c, 100);
  Record simulated = timed(Mode::simulate, c, 100);
  for (StepRow& row : run.steps) {
    row.report.phases.apply = {1'900'000};
    row.report.phases.wait = {500'000};
    row.report.phases.evaluate = {90'000'000};  // no part of a step's time
  }
  for (StepRow& row : simulated.steps) row.report.phases.apply = {800'000};
  const CaseValidation v = compare_case(c, {{run}, simulated});
  const auto why = verdict_of(v)->why;
  REQUIRE(why.has_value());
  CHECK(sentence(*why) == "apply: measured 1.9 ms, predicted 0.8 ms");
  CHECK_FALSE(verdict({{100}, 100}).why.has_value());  // held: nothing to explain
}

TEST_CASE("verdict: compute that is made 30 per cent faster is reported as off by its name") {
  const Verdict faster = verdict({{100, 100, 101}, 70});
  CHECK_FALSE(faster.held);
  REQUIRE(faster.why.has_value());
  CHECK(faster.why->phase == "compute");
  CHECK(faster.why->measured_ms == Approx(10));
  CHECK(faster.why->predicted_ms == Approx(7));
}

TEST_CASE("verdict: noisy cases of a strategy are counted apart from its errors") {
  Validation v{{}, 3, 0};
  const auto add = [&](const char* strategy, const char* workers, const Times& times) {
    v.cases.push_back(compare_times(case_with(strategy, "training.workers", workers), times));
  };
  add("sync", "1", {{100, 100, 100}, 102});
  add("sync", "2", {{100, 100, 100}, 80});
  add("sync", "3", {{50, 100, 150}, 300});
  add("async", "1", {{50, 100, 150}, 110});
  const auto verdicts = strategy_verdicts(v);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].strategy == "sync");
  CHECK(verdicts[0].cases == 3);
  CHECK(verdicts[0].noisy == 1);
  CHECK(verdicts[0].noisy_held == 0);
  CHECK(verdicts[0].steady->median == Approx(0.11));
  CHECK(verdicts[0].steady->max == Approx(0.2));
  CHECK(verdicts[0].all->max == Approx(2));
  CHECK(verdicts[0].worst == std::optional<std::size_t>(1));
  CHECK(verdicts[1].noisy_held == 1);
  CHECK_FALSE(verdicts[1].steady.has_value());
  CHECK(verdicts[1].worst == std::optional<std::size_t>(3));
}

TEST_CASE("verdict: a bound on the median error counts noisy cases as well") {
  const auto v = validate_times({{100}, 97}, {{50, 100, 150}, 130});
  CHECK(strategies_above(v, 0.5).empty());
  CHECK(strategies_above(v, 0.1) == std::vector<std::string>{"async"});
  CHECK(strategies_above(v, 0.01) == std::vector<std::string>{"sync", "async"});
}

TEST_CASE("goals: what is missed is named and counted") {
  Validation v = validate_times({{100, 100}, 103}, {{100, 100}, 120});
  for (CaseValidation& c : v.cases) {
    for (Comparison& each : c.comparisons) {
      if (each.node == "worker1" && each.metric == "cpu_percent") each.difference = -9;
    }
  }
  const auto goals = goals_of(v);
  const Goal* middle = find(goals, "step time, median of each strategy");
  REQUIRE(middle != nullptr);
  CHECK(middle->met == 1);
  CHECK(middle->of == 2);
  CHECK(middle->worst.value() == Approx(20));
  CHECK(middle->worst_name == "async");
  CHECK_FALSE(middle->is_met());
  const Goal* cpu = find(goals, "CPU of each node");
  REQUIRE(cpu != nullptr);
  CHECK(cpu->met == 0);
  CHECK(cpu->worst_name == "sync: worker1");
  CHECK(find(goals, "bytes sent, exact (or of replays)")->is_met());
  CHECK(find(goals, "mean staleness, where it varies")->of == 1);
  CHECK(find(goals, "weights equal bit for bit")->of == 1);
  CHECK(find(goals, "time to target") == nullptr);  // not measured
  CHECK(find(goals, "noisy cases, inside the runs' quartiles") == nullptr);
}

TEST_CASE("goals: a deviation that has no number is the worst of all") {
  const Case c = case_of("async");
  Record run = timed(Mode::run, c, 100);
  for (StepRow& row : run.steps) row.report.staleness = 0;
  Validation v{{compare_case(c, {{run}, timed(Mode::simulate, c, 100)})}, 1, 0};
  v.cases.push_back(compare_times(case_with("async", "training.workers", "3"), {{100}, 100}));
  const auto goals = goals_of(v);
  const Goal* staleness = find(goals, "mean staleness, where it varies");
  REQUIRE(staleness != nullptr);
  CHECK(staleness->met == 1);
  CHECK(staleness->of == 2);
  CHECK_FALSE(staleness->worst.has_value());
  CHECK(staleness->worst_name == "async");
}

TEST_CASE("goals: time to target counts a group of seeds once") {
  Validation v{{}, 1, 0};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Case c = case_with("sync", "seed", std::to_string(seed));
    c.scenario.seed = seed;
    c.scenario.training.until.accuracy = 0.8;
    v.cases.push_back(compare_times(c, {{100}, 100}));
  }
  CHECK(find(goals_of(v), "time to target")->of == 1);
  CHECK(find(goals_of(v), "time to target")->is_met());
  std::erase_if(v.cases[1].comparisons,
                [](const Comparison& each) { return each.metric == "time_to_target_s"; });
  CHECK_FALSE(find(goals_of(v), "time to target")->is_met());  // one seed did not reach it
}

}  // namespace foretrain
