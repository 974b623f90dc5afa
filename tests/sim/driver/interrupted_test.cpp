// An interrupted simulation or replay, with the record so far.
#include "reports/record/interruption.h"
#include "reports/record/not_done.h"
#include "sim/driver/replay.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

TEST_CASE("interrupted simulation: its totals are what its steps come to") {
  const std::string strategy = GENERATE("sync", "async");
  const bool summary = GENERATE(false, true);
  CAPTURE(strategy, summary);
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  options.summary_only = summary;
  int asked = 0;
  options.interrupted = [&] { return ++asked == 3; };
  const Record record = simulate(star_case(strategy, 2, 1'000'000, Duration{1'000'000}), options);
  CHECK(record.outcome == Outcome::interrupted);
  const std::int64_t steps = summary ? record.step_totals->steps : std::ssize(record.steps);
  CHECK(steps > 0);
  CHECK(record.gradients == steps);
  CHECK(record.updates == (strategy == "sync" ? steps / 2 : steps));
  CHECK(record.time.ns > 0);
  for (const NodeTotals& node : record.nodes) CHECK(node.tx.value > 0);
}

TEST_CASE("simulation: its record is seen while it grows") {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return made_up_machine(); };
  Case learning = small_case("async", 2, 200);
  learning.scenario.training.evaluate_every = 50;
  std::vector<std::size_t> seen;
  options.progress = [&](std::int64_t, std::int64_t all, Instant, const Record& so_far) {
    CHECK(all == 400);
    CHECK(so_far.mode == Mode::simulate);
    seen.push_back(so_far.evals.size());
  };
  const Record record = simulate(learning, options);
  REQUIRE(seen.size() > 2);
  CHECK(std::ranges::is_sorted(seen));
  CHECK(seen.back() > 0);
  CHECK(seen.back() < record.evals.size());
}

TEST_CASE("interrupted replay: it ends where a signal comes") {
  exec::RunOptions options;
  const Record recorded = real_run(small_case("sync", 2, 10), options);
  CHECK(sim::replay(recorded).outcome == Outcome::done);
  const Interruption interruption;
  std::raise(SIGINT);
  CHECK_THROWS_AS(sim::replay(recorded), NotDone);
}

}  // namespace
}  // namespace foretrain::testing
