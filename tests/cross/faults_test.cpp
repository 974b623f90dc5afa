// Workers that die, join late, follow a trace: both modes end in the same way.
#include "scenarios/resolve/faults.h"

#include "exec/launch/run.h"
#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"
#include "tests/support/protocol_options.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

Record run_it(const Case& scenario_case) {
  exec::RunOptions options;
  options.program = program_path();
  return exec::run(scenario_case, options);
}

// Slow enough that a death after 20 ms is in the middle of the training.
Case slow_case(const std::string& strategy, int workers) {
  Case scenario_case = small_case(strategy, workers, 200);
  scenario_case.scenario.stragglers.resize(1);
  scenario_case.scenario.stragglers[0].slowdown = 20;
  return scenario_case;
}

void let_die(Case& scenario_case, int worker) {
  scenario_case.scenario.faults.push_back({.at = 20_ms, .kill = "worker" + std::to_string(worker)});
}

TEST_CASE("faults: async goes on without a worker that dies, in both modes") {
  Case scenario_case = slow_case("async", 3);
  let_die(scenario_case, 2);
  for (const Record& record : {run_it(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode) << ": " << record.failure);
    CHECK(record.outcome == Outcome::done);
    CHECK(record.gradients == 600);
    CHECK(record.nodes[2].lost == death_at(20_ms));
    CHECK(record.nodes[1].lost.empty());
  }
}

TEST_CASE("faults: a worker that dies comes back, in both modes, and its gradients count again") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  CAPTURE(strategy);
  Case scenario_case = slow_case(strategy, 3);
  if (strategy == "sync") {
    set_option(scenario_case.scenario.training.protocol, "backup_workers", 1);
  }
  scenario_case.scenario.training.steps = 1'000;  // long enough for a process to start
  let_die(scenario_case, 2);
  scenario_case.scenario.faults[0].restart_after = 100_ms;
  for (const Record& record : {run_it(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode) << ": " << record.failure);
    REQUIRE(record.outcome == Outcome::done);
    CHECK(record.gradients == 3'000);
    CHECK(record.nodes[1].away.empty());
    CHECK(record.nodes[2].lost.empty());
    REQUIRE(record.nodes[2].away.size() == 1);
    CHECK(record.nodes[2].away[0].why == death_at(20_ms));
    CHECK(record.nodes[2].away[0].back >= Instant{} + 120_ms);
    const auto after = std::ranges::count_if(record.steps, [&](const StepRow& row) {
      return row.worker == 2 && row.report.start >= record.nodes[2].away[0].back;
    });
    CHECK(after > 0);
  }
}

TEST_CASE("faults: sync fails where a worker dies, with the same words in both modes") {
  Case scenario_case = slow_case("sync", 2);
  let_die(scenario_case, 1);
  const Record real = run_it(scenario_case);
  CHECK(real.outcome == Outcome::failed);
  CHECK(real.failure == "worker1 " + death_at(20_ms));
  const Record simulated = simulate(scenario_case);
  CHECK(simulated.outcome == Outcome::failed);
  CHECK(simulated.failure == real.failure);
}

TEST_CASE("faults: a worker that joins late is waited for in sync, not in async") {
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 50);
  scenario_case.scenario.faults = {{.at = 30_ms, .join = "worker1"}};
  const Record real = run_it(scenario_case);
  const Record simulated = simulate(scenario_case);
  for (const Record* record : {&real, &simulated}) {
    INFO(name_of(record->mode) << ": " << record->failure);
    CHECK(record->outcome == Outcome::done);
    CHECK(record->gradients == 100);
    for (const StepRow& row : record->steps) {
      if (row.worker == 1) CHECK(row.report.start >= Instant{} + 30_ms);
    }
  }
  if (strategy == "sync") CHECK(real.weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("faults: a server that is stopped for a moment changes no sum, in both modes") {
  Case scenario_case = slow_case("sync", 2);
  const std::string weights = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.faults = {{.at = 10_ms, .stop = "server0", .lasting = 200_ms}};
  for (const Record& record : {run_it(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode) << ": " << record.failure);
    CHECK(record.outcome == Outcome::done);
    CHECK(record.weights_sha256 == weights);
    CHECK(record.time >= 200_ms);
  }
}

TEST_CASE("faults: a worker that is stopped for longer than silence is lost, in both modes") {
  Case scenario_case = slow_case("async", 3);
  scenario_case.scenario.faults = {{.at = 20_ms, .stop = "worker2", .lasting = 60_s}};
  // The other workers have not finished by then.
  scenario_case.scenario.stragglers[0].slowdown = 200;
  scenario_case.scenario.training.steps = 150;
  for (const Record& record : {run_it(scenario_case), simulate(scenario_case)}) {
    INFO(name_of(record.mode) << ": " << record.failure);
    CHECK(record.outcome == Outcome::done);
    CHECK(record.nodes[2].lost == silent_for(TrainingSpec{}.silence_limit));
  }
}

TEST_CASE("faults: a run says that it touches no link") {
  Case scenario_case = small_case("sync", 2, 10);
  scenario_case.scenario.faults = {{.at = 10_ms, .slow = "worker1", .to = 0.01, .lasting = 200_ms}};
  scenario_case.places["faults[0].slow"] = "x.yaml:7:20";
  std::string told;
  try {
    run_it(scenario_case);
  } catch (const InputError& error) {
    told = error.what();
  }
  CHECK(told.find("x.yaml:7:20: faults[0].slow: a run cannot change links") == 0);
}

TEST_CASE("faults: a trace slows a run, too, and changes no sum") {
  const TempFolder folder;
  std::ofstream(folder / "times.csv") << "worker,time\n0,1\n1,2\n0,3\n1,30\n";
  Case scenario_case = small_case("sync", 2, 30);
  scenario_case.scenario.stragglers.resize(1);
  scenario_case.scenario.stragglers[0].trace = folder / "times.csv";
  const Record real = run_it(scenario_case);
  INFO(real.failure);
  REQUIRE(real.outcome == Outcome::done);
  CHECK(real.weights_sha256 == simulate(scenario_case).weights_sha256);
}

}  // namespace
}  // namespace foretrain::testing
