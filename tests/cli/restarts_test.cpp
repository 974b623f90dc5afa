// A run that restarts after the death of a node.
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using testing::BackgroundRun;
using testing::Called;
using testing::Sandbox;
using testing::set_all;
using testing::wait_until;

struct RestartShape {
  std::string strategy;
  int servers;
  std::vector<int> victims;  // one per attempt
};

std::size_t told_restarts(const std::string& err) { return testing::how_often(err, " left\n"); }

TEST_CASE("restarts: after each SIGKILL it goes on, and ends with the bits of an undisturbed run") {
  const auto shape =
      GENERATE(RestartShape{"single", 0, {0, 0}}, RestartShape{"sync", 1, {1, 2}},
               RestartShape{"sync", 2, {3}}, RestartShape{"ssp", 1, {0, 2}},
               RestartShape{"all_reduce", 0, {1, 0}}, RestartShape{"local_sgd", 0, {0, 1}});
  CAPTURE(shape.strategy, shape.servers);
  Sandbox sandbox;
  std::vector<std::string> settings{"training.strategy=" + shape.strategy, "training.steps=3000",
                                    "training.evaluate_every=200",
                                    "training.optimizer={name: adam, learning_rate: 0.001}",
                                    "checkpoint={every: 50 steps, keep: 2}"};
  if (shape.strategy == "single") settings.push_back("training.workers=null");
  if (shape.servers > 1) settings.push_back("training.servers=2");
  if (shape.servers > 1) settings.push_back("training.bucket_size=8 kB");
  if (shape.strategy == "ssp") settings.push_back("training.staleness=0");
  const Called plain = sandbox.call("run small.yaml --quiet --out plain" + set_all(settings) +
                                    " --set checkpoint=null");
  CAPTURE(plain.err);
  REQUIRE(plain.status == 0);
  const Record expected = read_record(sandbox.path("plain"));
  BackgroundRun run(sandbox, settings, {"--max-restarts", "3"});
  std::size_t deaths = 0;
  std::int64_t last = 0;
  for (const int victim : shape.victims) {
    run.wait_for_checkpoint_after(last);
    run.kill_one(victim);
    ++deaths;
    // Checkpoints after this message are written by the restarted nodes.
    wait_until([&] { return told_restarts(run.err()) == deaths; });
    last = run.newest();
  }
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  REQUIRE(status == 0);
  CHECK_THAT(err, Contains("was killed by signal 9 (Killed); continues from step "));
  CHECK_THAT(err, Contains("2 restarts are left"));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == expected.weights_sha256);
  CHECK(record.updates == expected.updates);
  CHECK(record.gradients == expected.gradients);
  CHECK(record.restarts.count == std::ssize(shape.victims));
  CHECK(record.resumed.size() == shape.victims.size());
  CHECK(record.restarts.lost_steps >= 0);
  CHECK(record.restarts.lost.ns >= 0);
  CHECK(record.restarts.down.ns > 0);
  CHECK(record.steps.size() == expected.steps.size());
  CHECK(record.evals.size() == expected.evals.size());
  CHECK(sandbox.call("simulate --replay out --out replayed").status == 0);
}

TEST_CASE("restarts: asynchronous workers go on, every gradient accepted once") {
  const int servers = GENERATE(1, 2);
  const int victim = GENERATE(0, 2);  // the chief or a server, without which nobody can continue
  CAPTURE(servers, victim);
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.strategy=async",
                                          "training.steps=3000",
                                          "training.servers=" + std::to_string(servers),
                                          "training.quota=own",
                                          "training.bucket_size=8 kB",
                                          "checkpoint={every: 50 steps}"};
  BackgroundRun run(sandbox, settings, {"--max-restarts", "1"});
  run.wait_for_checkpoint_after(0);
  run.kill_one(victim);
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  REQUIRE(status == 0);
  CHECK_THAT(err, Contains("0 restarts are left"));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.restarts.count == 1);
  CHECK(record.gradients == 6000);
  CHECK(record.updates == 6000);
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(record.steps.size() == 6000);
  CHECK(steps.size() == 6000);
}

TEST_CASE("restarts: without checkpoints it begins again, more deaths than it may have end it") {
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.steps=8000"};
  REQUIRE(sandbox.call("run small.yaml --quiet --out plain" + set_all(settings)).status == 0);
  std::vector<std::string> faulty = settings;
  faulty.emplace_back("faults=[{at: 100 ms, kill: worker1}, {at: 200 ms, kill: server0}]");
  const Called once = sandbox.call("run small.yaml --max-restarts 1 --out once" + set_all(faulty));
  CAPTURE(once.err);
  CHECK(once.status == 1);
  CHECK(read_record(sandbox.path("once")).restarts.count == 1);
  const Called twice =
      sandbox.call("run small.yaml --max-restarts 2 --out twice --json --full" + set_all(faulty));
  CAPTURE(twice.err);
  REQUIRE(twice.status == 0);
  CHECK_THAT(twice.err,
             Contains("worker1 was killed at 100 ms, as faults: says; the training begins again "
                      "with step 0, since the scenario has no checkpoints; 1 restart is left"));
  CHECK_THAT(
      twice.err,
      Contains("as faults: says; the training begins again with step 0; 0 restarts are left"));
  CHECK_THAT(testing::squeezed(twice.err), Contains("\n restarts 2\n"));
  CHECK_THAT(twice.out, Contains("\"restarts\""));
  const Record record = read_record(sandbox.path("twice"));
  CHECK(record.restarts.count == 2);
  CHECK(record.restarts.lost_steps > 0);
  CHECK(record.restarts.lost >= Duration{200'000'000});
  CHECK(record.time > record.restarts.lost);
  CHECK(record.resumed.empty());
  CHECK(record.steps.size() == 16'000);
  CHECK(record.weights_sha256 == read_record(sandbox.path("plain")).weights_sha256);
  CHECK(sandbox.call("simulate --replay twice --out replayed").status == 0);
}

TEST_CASE("restarts: a node that is killed before the first step is started again, too") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("run small.yaml --quiet --out plain").status == 0);
  BackgroundRun run(sandbox, {}, {"--max-restarts", "1"});
  wait_until([&] { return !run.nodes().empty(); });
  run.kill_one(0);
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  REQUIRE(status == 0);
  CHECK_THAT(err, Contains("0 restarts are left"));
  CHECK(read_record(sandbox.path("out")).weights_sha256 ==
        read_record(sandbox.path("plain")).weights_sha256);
}

// A suspended node ignores the request to end, so clearing an attempt takes seconds.
TEST_CASE("restarts: a signal between two attempts ends the run with its usual status, record") {
  const int signal = GENERATE(SIGTERM, SIGINT);
  // While nodes are asked to end; shortly before the suspended one is killed.
  const int after_ms = GENERATE(300, 1'500);
  CAPTURE(signal, after_ms);
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.steps=200000", "checkpoint={every: 50 steps}"};
  BackgroundRun run(sandbox, settings, {"--max-restarts", "3"});
  run.wait_for_checkpoint_after(0);
  kill(run.nodes().at(1), SIGSTOP);
  run.kill_one(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
  kill(run.launcher(), signal);
  const int status = run.wait();
  const std::string err = run.err();
  CAPTURE(err);
  CHECK(status == 130);
  CHECK(told_restarts(err) == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.failure == "interrupted by signal " + std::to_string(signal));
  CHECK(record.restarts.count == 0);
  CHECK(!record.steps.empty());
}

TEST_CASE("restarts: failures of hosts are refused by run, with their place") {
  Sandbox sandbox;
  sandbox.write("failing.yaml",
                "foretrain: 1\nname: failing\ntraining: {workers: 1, steps: 10}\ncluster:\n"
                "  hosts:\n    - {name: node, count: 2, compute: 1 ms, mtbf: 6 h}\n");
  const Called run = sandbox.call("run failing.yaml --emulate");
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("failing.yaml:6:") && Contains("cluster.hosts[0].mtbf") &&
                          Contains("only simulate knows it"));
  const Called whatif = sandbox.call("whatif failing.yaml --machine machine.yaml");
  CHECK(whatif.status == 2);
  CHECK_THAT(whatif.err, Contains("failing.yaml:6:") && Contains("cluster.hosts[0].mtbf"));
  const Called never = sandbox.call(
      "check failing.yaml --set cluster.hosts[0].mtbf=null --set "
      "cluster.hosts[0].restart_after=5s");
  CHECK(never.status == 2);
  CHECK_THAT(never.err, Contains("without mtbf there are no failures"));
}

TEST_CASE("restarts: together with --resume, from the other folder until there is a checkpoint") {
  Sandbox sandbox;
  const std::string words = " --quiet --set training.steps=3000 --set ";
  REQUIRE(sandbox.call("run small.yaml --out out" + words + "'checkpoint=1000 steps'").status == 0);
  const Record first = read_record(sandbox.path("out"));
  // A little after the point from which it resumes, step 2000, by the clock of the first run.
  const auto cut = std::ranges::find(first.steps, 2050,
                                     [](const StepRow& row) { return row.report.step.value; });
  REQUIRE(cut != first.steps.end());
  const std::string at = std::to_string(cut->report.start.ns) + " ns";
  const Called resumed =
      sandbox.call("run small.yaml --resume out --out on --max-restarts 1" + words +
                   "'checkpoint=5000 steps' --set 'faults=[{at: " + at + ", kill: worker0}]'");
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err, Contains("continues from step 2000, out/checkpoints/step-2000\n"));
  CHECK_THAT(
      resumed.err,
      Contains(
          "as faults: says; continues from step 2000, out/checkpoints/step-2000; 0 restarts are "
          "left"));
  const Record record = read_record(sandbox.path("on"));
  CHECK(record.weights_sha256 == first.weights_sha256);
  CHECK(record.restarts.count == 1);
  CHECK(record.resumed == std::vector<std::int64_t>{2000});
}

}  // namespace
}  // namespace foretrain
