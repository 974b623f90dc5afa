// A killed worker that is replaced by a new process.
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"
#include "tests/support/instruments.h"

#include <catch2/catch.hpp>

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

// Long enough for two deaths: a step takes many times as long with a sanitizer.
constexpr std::int64_t kSlower = testing::kSanitized ? 5 : 1;
constexpr std::int64_t kRejoinedSteps = 8'000 / kSlower;

std::vector<std::string> long_training(const std::string& strategy, int servers) {
  std::vector<std::string> settings{
      "training.strategy=" + strategy, "training.steps=" + std::to_string(kRejoinedSteps),
      "training.servers=" + std::to_string(servers), "training.bucket_size=8 kB"};
  if (strategy == "sync") settings.emplace_back("training.backup_workers=1");
  return settings;
}

// The process that the launcher reported last.
pid_t last_back(const std::string& err) {
  const std::string before = "worker1 (process ";
  const auto end = err.rfind(") is back");
  REQUIRE(end != std::string::npos);
  const auto begin = err.rfind(before, end) + before.size();
  return std::stoi(err.substr(begin, end - begin));
}

// Kills the worker, then the process that replaced it.
void kill_twice(const BackgroundRun& run) {
  run.wait_for_steps(20'000);
  run.kill_one(1);
  wait_until([&] { return how_often(run.err(), "is back") == 1; });
  kill(last_back(run.err()), SIGKILL);
}

void check_all_made(const Record& record) {
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 2 * kRejoinedSteps);
  CHECK(record.updates == 2 * kRejoinedSteps);
  CHECK(record.restarts.count == 0);
  CHECK(!record.weights_sha256.empty());
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(steps.size() == record.steps.size());
}

TEST_CASE("rejoin: a worker that is killed comes back, all updates are made, the record says so") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  const int servers = GENERATE(1, 2);
  // With two servers, the first may have chosen a push that the second never gets, which ends the
  // run.
  if (strategy == "sync" && servers > 1) return;
  CAPTURE(strategy, servers);
  Sandbox sandbox;
  BackgroundRun run(sandbox, long_training(strategy, servers), {"--max-restarts", "2"});
  kill_twice(run);
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  REQUIRE(status == 0);
  CHECK_THAT(err, Contains("was killed by signal 9 (Killed); the others continue without it"));
  CHECK_THAT(err, Contains("worker1 is started again; 1 restart is left"));
  CHECK_THAT(err, Contains("worker1 is started again; 0 restarts are left"));
  const Record record = read_record(sandbox.path("out"));
  check_all_made(record);
  const NodeTotals& worker = record.nodes[1];
  CHECK(worker.lost.empty());
  REQUIRE(worker.away.size() == 2);
  Instant last;
  for (const Absence& absence : worker.away) {
    CHECK(absence.why == "was killed by signal 9 (Killed)");
    CHECK(last < absence.left);
    CHECK(absence.left < absence.back);
    last = absence.back;
  }
  std::int64_t after = 0;
  for (const StepRow& row : record.steps) {
    if (row.worker == 1 && row.report.start >= last) ++after;
  }
  CHECK(after > 100);
  CHECK(worker.tx.value > 64 * std::int64_t{100});
  CHECK(worker.cpu_s > 0);
  const Called replay = sandbox.call("simulate --replay out --out replayed");
  CHECK(replay.status == 2);
  CHECK_THAT(replay.err, Contains("worker1 was lost in this run"));
}

TEST_CASE("rejoin: a checkpoint that was made after a return is gone on from") {
  const int servers = GENERATE(1, 2);
  CAPTURE(servers);
  Sandbox sandbox;
  std::vector<std::string> settings = long_training("async", servers);
  settings.emplace_back("checkpoint={every: 100 steps}");
  constexpr std::int64_t kSteps = 5'000 / kSlower;
  settings[1] = "training.steps=" + std::to_string(kSteps);
  BackgroundRun run(sandbox, settings, {"--max-restarts", "1"});
  run.wait_for_checkpoint_after(0);
  run.kill_one(1);
  wait_until([&] { return how_often(run.err(), "is back") == 1; });
  run.wait_for_checkpoint_after(run.newest());
  run.wait_for_checkpoint_after(run.newest());
  run.kill_one(-1);
  run.wait();
  const Called resumed =
      sandbox.call("run small.yaml --quiet --resume out --out on" + set_all(settings));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  const Record record = read_record(sandbox.path("on"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 2 * kSteps);
  CHECK(record.updates == 2 * kSteps);
  CHECK(record.resumed.size() == 1);
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(steps.size() == record.steps.size());
}

TEST_CASE("rejoin: faults say who comes back, and when, in both modes") {
  Sandbox sandbox;
  std::vector<std::string> settings = long_training("async", 1);
  settings.emplace_back("faults=[{at: 200 ms, kill: worker1, restart_after: 150 ms}]");
  const Called run = sandbox.call("run small.yaml --out out" + set_all(settings));
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.err, Contains("worker1 is started again after 150 ms, as faults: says"));
  const Record real = read_record(sandbox.path("out"));
  check_all_made(real);
  REQUIRE(real.nodes[1].away.size() == 1);
  CHECK(real.nodes[1].away[0].left >= Instant{200'000'000});
  CHECK(real.nodes[1].away[0].back - real.nodes[1].away[0].left >= Duration{150'000'000});
  // With fewer steps, for a sanitizer, the forecast takes little more than 200 ms.
  settings.back() = "faults=[{at: 40 ms, kill: worker1, restart_after: 30 ms}]";
  const Called simulated =
      sandbox.call("simulate small.yaml --machine machine.yaml --out sim" + set_all(settings));
  CAPTURE(simulated.err);
  REQUIRE(simulated.status == 0);
  CHECK_THAT(simulated.out, Contains("worker1 away from 0.040 s to 0.070 s"));
  const Record forecast = read_record(sandbox.path("sim"));
  check_all_made(forecast);
  REQUIRE(forecast.nodes[1].away.size() == 1);
  CHECK(forecast.nodes[1].away[0].left == Instant{40'000'000});
  CHECK(forecast.nodes[1].away[0].back == Instant{70'000'000});
}

TEST_CASE("rejoin: a strategy that takes nobody back refuses it by name") {
  Sandbox sandbox;
  const Called called = sandbox.call(
      "run small.yaml --out out --set 'faults=[{at: 1 s, kill: worker1, restart_after: 1 s}]'");
  CHECK(called.status == 2);
  CHECK_THAT(called.err,
             Contains("faults[0].restart_after") &&
                 Contains("here sync lets no lost worker return, only sync with backup_workers or "
                          "rejoin_limit, async, ssp, all_reduce with rejoin_limit, local_sgd with "
                          "rejoin_limit, gather_scatter with rejoin_limit do"));
}

}  // namespace
}  // namespace foretrain
