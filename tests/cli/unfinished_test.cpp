// Unfinished runs, which resume, are not overwritten by mistake.
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::BackgroundRun;
using testing::Called;
using testing::Sandbox;
using testing::set_all;

const std::vector<std::string> kKept{"training.steps=4000", "checkpoint={every: 100 steps}"};

/// The suggested command, without the program's name.
std::string told_command(const std::string& err) {
  const std::string before = " with: ";
  const auto at = err.find(before);
  REQUIRE(at != std::string::npos);
  const std::string line = err.substr(at, err.find('\n', at) - at);
  return line.substr(line.find(" run ") + 1);
}

TEST_CASE("unfinished: the command that goes on is the one that began, with --resume") {
  const Case one;
  const std::vector<std::string> words{"foretrain", "run",   "my job.yaml",           "--out",
                                       "there",     "--set", "checkpoint={every: 5}", "--force"};
  CHECK(command_to_resume(words, one, "there") ==
        "foretrain run 'my job.yaml' --set 'checkpoint={every: 5}' --resume there");
  CHECK(command_to_resume({"foretrain", "run", "x", "--out=on", "--resume=a"}, one, "on") ==
        "foretrain run x --resume on");
  CHECK(command_to_resume({"foretrain", "run", "x", "--resume", "a", "--quiet"}, one, "a") ==
        "foretrain run x --quiet --resume a");
}

TEST_CASE("unfinished: of a sweep the command has the settings of the case alone") {
  Case one;
  one.settings = {{"training.strategy", "sync"}, {"seed", "2"}};
  CHECK(command_to_resume({"foretrain", "run", "x", "--set", "sweep.seed=[1, 2]", "--set", "a=b"},
                          one, "out/sync") ==
        "foretrain run x --set a=b --set sweep=null --set training.strategy=sync --set seed=2 "
        "--resume out/sync");
}

TEST_CASE("unfinished: a worker is killed, and the command that is told goes on to the end") {
  Sandbox sandbox;
  BackgroundRun run(sandbox, kKept);
  run.wait_for_checkpoint_after(0);
  run.kill_one(1);
  CHECK(run.wait() == 1);
  const std::string err = run.err();
  CAPTURE(err);
  CHECK_THAT(err, Contains("error: worker1") && Contains("was killed by signal 9 (Killed)\n"));
  CHECK_THAT(err, Contains("continues from step " + std::to_string(run.newest()) + " with: "));
  CHECK_THAT(err, Contains(" --resume " + sandbox.path("out").string() + "\n"));
  const Called resumed = sandbox.call(told_command(err));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 8000);
  CHECK(record.resumed.size() == 1);
}

TEST_CASE("unfinished: begun again it is refused, its checkpoints stay, until --force") {
  const bool interrupted = GENERATE(true, false);
  CAPTURE(interrupted);
  Sandbox sandbox;
  BackgroundRun run(sandbox, kKept);
  run.wait_for_checkpoint_after(0);
  if (interrupted) kill(run.launcher(), SIGTERM);
  if (!interrupted) run.kill_one(-1);
  CHECK(run.wait() == (interrupted ? 130 : 128 + SIGKILL));
  if (interrupted) CHECK_THAT(run.err(), Contains(" --resume " + sandbox.path("out").string()));
  const std::int64_t newest = run.newest();
  const std::string before = testing::text_of(sandbox.path("out/run.json"));
  const std::string words = "run small.yaml --quiet --out out" + set_all(kKept);
  const Called again = sandbox.call(words);
  CHECK(again.status == 2);
  CHECK_THAT(
      again.err,
      Contains("error: out: already holds this training, unfinished; to start again give --force, "
               "which removes its checkpoints"));
  CHECK_THAT(again.err, Contains("it continues from step " + std::to_string(newest) + " with: "));
  CHECK_THAT(again.err, Contains(" --resume out\n"));
  CHECK(run.newest() == newest);
  CHECK(testing::text_of(sandbox.path("out/run.json")) == before);
  const Called forced = sandbox.call(words + " --force");
  CAPTURE(forced.err);
  CHECK(forced.status == 0);
  CHECK(read_record(sandbox.path("out")).resumed.empty());
  CHECK(sandbox.call(words).status == 0);  // it has ended
}

TEST_CASE("unfinished: nobody else writes into the folder of a run that goes on") {
  Sandbox sandbox;
  BackgroundRun run(sandbox, kKept);
  run.wait_for_checkpoint_after(0);
  const std::string words = "run small.yaml --quiet --out out" + set_all(kKept);
  const std::string told =
      "error: out: is being written by process " + std::to_string(run.launcher()) + " on ";
  for (const char* more : {"", " --resume out", " --force"}) {
    CAPTURE(more);
    const Called second = sandbox.call(words + more);
    CHECK(second.status == 2);
    CHECK_THAT(second.err, StartsWith(told));
  }
  CHECK(sandbox.call("simulate small.yaml --machine machine.yaml --force --out out").status == 2);
  CHECK(run.wait() == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.steps.size() == 8000);
  CHECK(record.resumed.empty());
}

TEST_CASE("unfinished: torchrun's next attempt is not refused, it goes on by itself") {
  Sandbox sandbox;
  BackgroundRun run(sandbox, kKept);
  run.wait_for_checkpoint_after(0);
  run.kill_one(-1);
  run.wait();
  const Called again = sandbox.call("run small.yaml --quiet --out out" + set_all(kKept),
                                    "export TORCHELASTIC_RESTART_COUNT=1");
  CAPTURE(again.err);
  CHECK(again.status == 0);
  CHECK(read_record(sandbox.path("out")).resumed.size() == 1);
}

TEST_CASE("unfinished: without a whole checkpoint nothing is told, and it begins again") {
  Sandbox sandbox;
  const std::string words =
      "run small.yaml --quiet" +
      set_all({"training.steps=100000", "faults=[{at: 50 ms, kill: worker1}]"});
  for (int i = 0; i < 2; ++i) {
    const Called killed = sandbox.call(words);
    CAPTURE(killed.err);
    CHECK(killed.status == 1);
    CHECK_THAT(killed.err, Contains("worker1") && !Contains("--resume"));
  }
}

}  // namespace
}  // namespace foretrain
