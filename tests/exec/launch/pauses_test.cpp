// Pauses: a process is suspended, then continues.
#include "exec/launch/pauses.h"

#include "exec/launch/run.h"
#include "exec/launch/task_start.h"
#include "exec/system/process.h"
#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using exec::Pauses;

Scenario pausing(Duration pause, Duration every) {
  Scenario scenario;
  scenario.stragglers.emplace_back();
  scenario.stragglers.back().pause = pause;
  scenario.stragglers.back().every = every;
  return scenario;
}

void lives(const FaultSchedule::Death& death) { FAIL(death_at(death.at)); }

TEST_CASE("pauses: a process is stopped and goes on in turn") {
  boost::asio::io_context loop;
  std::vector<int> signals;
  Pauses pauses(
      loop, pausing({1'000'000}, {1'000'000}), 0, Instant{},
      [&](int signal) {
        signals.push_back(signal);
        if (signals.size() == 20) loop.stop();
      },
      lives);
  pauses.start();
  loop.run();
  REQUIRE(signals.size() == 20);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    CHECK(signals[i] == (i % 2 == 0 ? SIGSTOP : SIGCONT));
  }
}

TEST_CASE("pauses: at their end a process that stands still goes on") {
  boost::asio::io_context loop;
  std::vector<int> signals;
  Pauses pauses(
      loop, pausing({3'600'000'000'000}, {1'000'000}), 0, Instant{},
      [&](int signal) {
        signals.push_back(signal);
        loop.stop();
      },
      lives);
  pauses.start();
  loop.run();
  pauses.end();
  pauses.end();
  CHECK(signals == std::vector<int>{SIGSTOP, SIGCONT});
}

TEST_CASE("pauses: pauses that overlap are one long one") {
  Scenario scenario = pausing({3'600'000'000'000}, {1'000'000});
  scenario.stragglers.push_back(scenario.stragglers.front());
  scenario.stragglers.push_back(scenario.stragglers.front());
  boost::asio::io_context loop;
  std::vector<int> signals;
  Pauses pauses(
      loop, scenario, 0, Instant{}, [&](int signal) { signals.push_back(signal); }, lives);
  pauses.start();
  loop.run_for(std::chrono::milliseconds(50));
  CHECK(signals == std::vector<int>{SIGSTOP});
}

TEST_CASE("pauses: a server is stopped once, as a fault says") {
  Scenario scenario = pausing({3'600'000'000'000}, {1'000'000});  // for workers
  scenario.faults = {{.at = {20'000'000}, .stop = "server0", .lasting = {100'000'000}}};
  boost::asio::io_context loop;
  std::vector<int> signals;
  Pauses pauses(
      loop, scenario, 1, Instant{}, [&](int signal) { signals.push_back(signal); }, lives);
  pauses.start();
  loop.run();
  CHECK(signals == std::vector<int>{SIGSTOP, SIGCONT});
}

TEST_CASE("pauses: without one nothing is sent, and nothing waits") {
  boost::asio::io_context loop;
  Pauses pauses(
      loop, Scenario{}, 0, Instant{}, [](int) { FAIL("a signal"); }, lives);
  pauses.start();
  CHECK(loop.run() == 0);
  pauses.end();
}

Scenario dying(Duration dies_at) {
  Scenario scenario;
  scenario.faults = {{.at = dies_at, .kill = "worker0"}};
  return scenario;
}

TEST_CASE("pauses: a process that dies is killed once, pauses no more") {
  boost::asio::io_context loop;
  Scenario scenario = dying({20'000'000});
  scenario.stragglers.push_back(pausing({3'600'000'000'000}, {1'000'000}).stragglers[0]);
  std::vector<int> signals;
  std::string became;
  Pauses pauses(
      loop, scenario, 0, Instant{}, [&](int signal) { signals.push_back(signal); },
      [&](const FaultSchedule::Death& death) { became = death_at(death.at); });
  pauses.start();
  loop.run();
  REQUIRE(!signals.empty());
  CHECK(signals.back() == SIGKILL);
  CHECK(std::ranges::count(signals, SIGKILL) == 1);
  CHECK(became == death_at({20'000'000}));
}

TEST_CASE("pauses: what has happened before a training goes on does not happen again") {
  boost::asio::io_context loop;
  Scenario scenario = dying({20'000'000});
  scenario.faults.push_back({.at = {10'000'000}, .stop = "worker0", .lasting = {1'000'000}});
  scenario.faults.push_back({.at = {60'000'000}, .stop = "worker0", .lasting = {300'000'000}});
  std::vector<int> signals;
  Pauses pauses(
      loop, scenario, 0, Instant{20'000'000}, [&](int signal) { signals.push_back(signal); },
      [](const FaultSchedule::Death&) { FAIL("it died"); });
  pauses.start();
  loop.run();
  CHECK(signals == std::vector<int>{SIGSTOP, SIGCONT});
}

TEST_CASE("pauses: who is through before its time does not die") {
  boost::asio::io_context loop;
  Pauses pauses(
      loop, dying({3'600'000'000'000}), 0, Instant{}, [](int) { FAIL("a signal"); }, lives);
  pauses.start();
  pauses.end();
  loop.run();
}

TEST_CASE("pauses: who did not start the workers can neither pause nor end them") {
  exec::RunOptions options;
  options.start = std::make_shared<exec::TaskStart>(
      exec::Task{.started_by = "srun", .rank = 0, .size = 3, .addresses = {}}, "",
      exec::TlsChoice{});
  Case scenario_case = small_case("async", 2, 10);
  scenario_case.scenario.stragglers = pausing({1'000'000}, {1'000'000}).stragglers;
  CHECK_THROWS_AS(exec::run(scenario_case, options), InputError);
  scenario_case.scenario.stragglers.clear();
  scenario_case.scenario.faults = dying({1'000'000}).faults;
  CHECK_THROWS_AS(exec::run(scenario_case, options), InputError);
}

TEST_CASE("pauses: a training with pauses ends with the same weights") {
  Case scenario_case = small_case("sync", 2, 40);
  const std::string weights = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.stragglers.emplace_back();
  scenario_case.scenario.stragglers[0].pause = {10'000'000};
  scenario_case.scenario.stragglers[0].every = {5'000'000};
  exec::RunOptions options;
  options.program = program_path();
  const Record record = exec::run(scenario_case, options);
  INFO(record.failure);
  CHECK(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == weights);
}

}  // namespace
}  // namespace foretrain::testing
