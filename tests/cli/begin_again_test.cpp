// A run with processes that survive the loss of a node.
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using testing::BackgroundRun;
using testing::Called;
using testing::how_often;
using testing::Sandbox;
using testing::set_all;
using testing::wait_until;

constexpr std::int64_t kWaitingSteps = 2'000;  // per worker

struct WaitShape {
  std::string strategy;
  int servers;
  std::vector<int> victims;  // in the order of the deaths, numbered by start
};

std::vector<std::string> three_that_wait(const WaitShape& shape) {
  std::vector<std::string> settings{"training.strategy=" + shape.strategy,
                                    "training.workers=3",
                                    "training.steps=" + std::to_string(kWaitingSteps),
                                    "training.bucket_size=8 kB",
                                    "training.optimizer={name: adam, learning_rate: 0.001}",
                                    "training.rejoin_limit=60 s",
                                    "checkpoint={every: 50 steps, keep: 2}"};
  if (shape.servers > 0) settings.push_back("training.servers=" + std::to_string(shape.servers));
  return settings;
}

std::string weights_without_deaths(Sandbox& sandbox, std::vector<std::string> settings) {
  std::erase_if(settings, [](const std::string& each) {
    return each.starts_with("faults=") || each.starts_with("checkpoint=");
  });
  const Called plain = sandbox.call("run small.yaml --quiet --out plain" + set_all(settings));
  CAPTURE(plain.err);
  REQUIRE(plain.status == 0);
  return read_record(sandbox.path("plain")).weights_sha256;
}

// The time at which the run without deaths reached a step; much later with a sanitizer.
std::int64_t ms_at_step(Sandbox& sandbox, std::int64_t step) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  const std::vector<StepRow> rows = read_record(sandbox.path("plain")).steps;
  const auto row =
      std::ranges::find(rows, step, [](const StepRow& each) { return each.report.step.value; });
  REQUIRE(row != rows.end());
  return row->report.start.ns / kNsPerMs + 1;
}

// All processes except the victim's are still running.
void check_all_but_one_stay(const std::vector<pid_t>& before, const std::vector<pid_t>& after,
                            pid_t victim) {
  CHECK(after.size() == before.size());
  for (const pid_t each : before) {
    CAPTURE(each, victim);
    CHECK((std::ranges::find(after, each) != after.end()) == (each != victim));
  }
}

TEST_CASE("begin again: one is killed, the processes of all others stay, the bits are the same") {
  const auto shape = GENERATE(WaitShape{"all_reduce", 0, {1, 0}}, WaitShape{"local_sgd", 0, {2}},
                              WaitShape{"sync", 2, {4, 0}}, WaitShape{"sync", 1, {1, 3}});
  CAPTURE(shape.strategy, shape.servers);
  Sandbox sandbox;
  const std::vector<std::string> settings = three_that_wait(shape);
  const std::string weights = weights_without_deaths(sandbox, settings);
  BackgroundRun run(sandbox, settings, {"--max-restarts", "2"});
  std::int64_t last = 0;
  std::size_t deaths = 0;
  for (const int victim : shape.victims) {
    run.wait_for_checkpoint_after(last);
    const std::vector<pid_t> before = run.nodes();
    const pid_t killed = before.at(static_cast<std::size_t>(victim));
    kill(killed, SIGKILL);
    ++deaths;
    wait_until([&] { return how_often(run.err(), "all nodes have joined again; ") == deaths; });
    check_all_but_one_stay(before, run.nodes(), killed);
    last = run.newest();
  }
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  REQUIRE(status == 0);
  CHECK_THAT(err,
             Contains("was killed by signal 9 (Killed); the others wait for it, 60 s at most"));
  CHECK_THAT(err, Contains("all nodes have joined again; continues from step ") &&
                      Contains("; 1 restart is left\n"));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == weights);
  CHECK(record.gradients == 3 * kWaitingSteps);
  CHECK(std::ssize(record.steps) == 3 * kWaitingSteps);
  CHECK(record.restarts.count == std::ssize(shape.victims));
  CHECK(record.restarts.down.ns > 0);
  CHECK(record.resumed.size() == shape.victims.size());
  CHECK(sandbox.call("simulate --replay out --out replayed").status == 0);
}

TEST_CASE("begin again: a fault that says when it is back takes no restart") {
  Sandbox sandbox;
  std::vector<std::string> settings = three_that_wait({"sync", 2, {}});
  settings.emplace_back("faults=[{at: 150 ms, kill: server1, restart_after: 300 ms}]");
  const std::string weights = weights_without_deaths(sandbox, settings);
  const Called run = sandbox.call("run small.yaml --quiet --out out" + set_all(settings));
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Contains("server1 was killed at 150 ms, as faults: says; the others wait for "
                               "it") &&
                          Contains("server1 is started again after 300 ms, as faults: says"));
  CHECK_THAT(run.err, !Contains("restarts are left"));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.weights_sha256 == weights);
  CHECK(record.restarts.count == 1);
  CHECK(record.restarts.down >= Duration{300'000'000});
}

TEST_CASE("begin again: who is not back in time ends the run, which --resume goes on with") {
  Sandbox sandbox;
  std::vector<std::string> settings = three_that_wait({"all_reduce", 0, {}});
  const std::string weights = weights_without_deaths(sandbox, settings);
  settings.push_back(fmt::format("faults=[{{at: {} ms, kill: worker1, restart_after: 60 s}}]",
                                 ms_at_step(sandbox, kWaitingSteps / 4)));
  std::ranges::replace(settings, "training.rejoin_limit=60 s", "training.rejoin_limit=300 ms");
  // So often that a checkpoint is complete by then even on a busy machine.
  std::ranges::replace(settings, "checkpoint={every: 50 steps, keep: 2}",
                       "checkpoint={every: 10 steps, keep: 2}");
  // Remaining restarts do not prolong the wait.
  const Called run =
      sandbox.call("run small.yaml --quiet --max-restarts 1 --out out" + set_all(settings));
  CAPTURE(run.err);
  CHECK(run.status == 1);
  CHECK_THAT(run.err,
             Contains("worker1 was killed at ") &&
                 Contains(", as faults: says, and did not come back within training.rejoin_limit "
                          "of 300 ms"));
  CHECK_THAT(run.err, Contains("continues from step ") && Contains(" --resume "));
  CHECK(read_record(sandbox.path("out")).outcome == Outcome::failed);
  const Called resumed =
      sandbox.call("run small.yaml --quiet --resume out --out on" + set_all(settings));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  const Record record = read_record(sandbox.path("on"));
  CHECK(record.weights_sha256 == weights);
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(std::ssize(steps) == 3 * kWaitingSteps);
}

TEST_CASE("begin again: a signal while all wait ends the run, and no process stays") {
  Sandbox sandbox;
  std::vector<std::string> settings = three_that_wait({"all_reduce", 0, {}});
  settings.emplace_back("faults=[{at: 150 ms, kill: worker1, restart_after: 50 s}]");
  BackgroundRun run(sandbox, settings);
  wait_until([&] { return how_often(run.err(), "the others wait for it") == 1; });
  const std::vector<pid_t> nodes = run.nodes();
  kill(run.launcher(), SIGTERM);
  CHECK(run.wait() == 130);
  CHECK(read_record(sandbox.path("out")).outcome == Outcome::interrupted);
  for (const pid_t each : nodes) CHECK(kill(each, 0) != 0);
}

TEST_CASE("begin again: whatif asks of trainings that nothing sets back") {
  Sandbox sandbox;
  const Called whatif = sandbox.call(
      "whatif small.yaml --machine machine.yaml --set training.rejoin_limit=5s --set "
      "'faults=[{at: 1 ms, kill: server0, restart_after: 1 ms}]'");
  CHECK(whatif.status == 2);
  CHECK_THAT(whatif.err, Contains("faults[0].restart_after") && Contains("server0; remove it"));
}

}  // namespace
}  // namespace foretrain
