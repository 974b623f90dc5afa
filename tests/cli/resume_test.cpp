// A killed training that resumes from its newest complete checkpoint.
#include "exec/checkpoint/checkpoint.h"
#include "models/networks/registry.h"
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::BackgroundRun;
using testing::Called;
using testing::Sandbox;
using testing::set_all;

/// Begins a run, waits for its second checkpoint, kills one of its processes; returns its exit
/// status.
int killed_run(Sandbox& sandbox, const std::vector<std::string>& settings, int victim) {
  BackgroundRun run(sandbox, settings);
  run.wait_for_checkpoint_after(0);
  run.wait_for_checkpoint_after(run.newest());
  run.kill_one(victim);
  return run.wait();
}

/// The step of the newest complete checkpoint in `out`; 0 if there is none. The last checkpoint may
/// be incomplete, because a finished training does not wait for its disk.
std::int64_t newest_cut(const Sandbox& sandbox) {
  const auto newest = exec::newest_checkpoint(sandbox.path("out"), true).manifest;
  return newest ? newest->cut : 0;
}

struct KilledShape {
  std::string strategy;
  int servers;
  int victim;  // -1: the launcher; else a node
  int accumulate = 1;
  bool topk = false;  // unsent gradient values are saved, too
};

TEST_CASE("resume: after a SIGKILL a run ends with the bits of one that nobody disturbed") {
  const auto shape = GENERATE(
      KilledShape{"single", 0, 0}, KilledShape{"sync", 1, 1}, KilledShape{"sync", 2, 3},
      KilledShape{"sync", 1, -1}, KilledShape{"sync", 1, 1, 2}, KilledShape{"sync", 2, 1, 1, true},
      KilledShape{"all_reduce", 0, 1, 2}, KilledShape{"ssp", 1, 2}, KilledShape{"all_reduce", 0, 1},
      KilledShape{"all_reduce", 0, -1}, KilledShape{"local_sgd", 0, 0});
  CAPTURE(shape.strategy, shape.servers, shape.victim);
  Sandbox sandbox;
  std::vector<std::string> settings{"training.strategy=" + shape.strategy, "training.steps=2000",
                                    "training.evaluate_every=100",
                                    "training.optimizer={name: adam, learning_rate: 0.001}",
                                    "checkpoint={every: 50 steps, keep: 2}"};
  if (shape.strategy == "single") settings.push_back("training.workers=null");
  if (shape.topk) settings.push_back("training.compression={kind: topk, share: 0.05}");
  if (shape.accumulate > 1) settings.push_back("training.accumulate=2");
  if (shape.servers > 1) settings.push_back("training.servers=2");
  if (shape.servers > 1) settings.push_back("training.bucket_size=8 kB");
  if (shape.strategy == "ssp") settings.push_back("training.staleness=0");
  if (shape.strategy == "local_sgd") settings.push_back("training.outer={name: nesterov}");
  const Called plain = sandbox.call("run small.yaml --quiet --out plain" + set_all(settings) +
                                    " --set checkpoint=null");
  CAPTURE(plain.err);
  REQUIRE(plain.status == 0);
  const Record expected = read_record(sandbox.path("plain"));
  CHECK(killed_run(sandbox, settings, shape.victim) != 0);
  const Called resumed = sandbox.call("run small.yaml --resume out" + set_all(settings));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK_THAT(resumed.err, Contains("continues from step "));
  CHECK_THAT(resumed.out, Contains("resumed "));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.weights_sha256 == expected.weights_sha256);
  CHECK(record.updates == expected.updates);
  CHECK(record.gradients == expected.gradients);
  // The record continues: every step of every worker once, all evaluations with their results.
  REQUIRE(record.steps.size() == expected.steps.size());
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(steps.size() == record.steps.size());
  REQUIRE(record.evals.size() == expected.evals.size());
  for (std::size_t i = 0; i < record.evals.size(); ++i) {
    CHECK(record.evals[i].step == expected.evals[i].step);
    CHECK(record.evals[i].loss == expected.evals[i].loss);
  }
  const Called replay = sandbox.call("simulate --replay out --out replayed");
  CAPTURE(replay.err);
  CHECK(replay.status == 0);
  CHECK(read_record(sandbox.path("replayed")).weights_sha256 == expected.weights_sha256);
}

TEST_CASE("resume: a checkpoint names the kernels of its nodes, others that go on are told") {
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.steps=1500", "checkpoint={every: 50 steps}"};
  CHECK(killed_run(sandbox, settings, 1) != 0);
  auto manifest = exec::newest_checkpoint(sandbox.path("out"), true).manifest;
  REQUIRE(manifest);
  CHECK(manifest->kernel_set == kernel_set());
  const std::string words = "run small.yaml --resume out --quiet" + set_all(settings);
  CHECK(sandbox.call(words + " --out same").err.find("later ones with") == std::string::npos);
  manifest->kernel_set = "made-up";
  exec::write_manifest(sandbox.path("out"), *manifest, 3);
  const Called resumed = sandbox.call(words + " --out on");
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err,
             Contains("steps so far were computed with made-up kernels, later ones with " +
                      std::string(kernel_set())));
}

TEST_CASE("resume: asynchronous workers go on, every gradient accepted once") {
  const std::string strategy = GENERATE("async", "ssp");
  const int servers = GENERATE(1, 2);
  CAPTURE(strategy, servers);
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.strategy=" + strategy,
                                          "training.steps=1500",
                                          "training.servers=" + std::to_string(servers),
                                          "training.quota=own",
                                          "training.bucket_size=8 kB",
                                          "checkpoint={every: 50 steps}"};
  CHECK(killed_run(sandbox, settings, 2) != 0);  // a server
  const Called resumed =
      sandbox.call("run small.yaml --resume out --out on --quiet" + set_all(settings));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  const Record record = read_record(sandbox.path("on"));
  CHECK(record.gradients == 3000);
  CHECK(record.updates == 3000);
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(record.steps.size() == 3000);
  CHECK(steps.size() == 3000);
  const Called replay = sandbox.call("simulate --replay on --out replayed");
  CAPTURE(replay.err);
  CHECK(replay.status == 0);
}

TEST_CASE("resume: of a training that had ended nothing counts twice") {
  Sandbox sandbox;
  const std::string settings = " --quiet --set training.steps=1900 --set checkpoint='1000 steps'";
  REQUIRE(sandbox.call("run small.yaml --out out" + settings).status == 0);
  const Record before = read_record(sandbox.path("out"));
  const Called again = sandbox.call("run small.yaml --resume out --out on" + settings);
  CAPTURE(again.err);
  REQUIRE(again.status == 0);
  CHECK_THAT(again.err, Contains("was finished; it is repeated from step 1000 on"));
  const Record after = read_record(sandbox.path("on"));
  CHECK(after.steps.size() == before.steps.size());
  CHECK(after.gradients == before.gradients);
  CHECK(after.weights_sha256 == before.weights_sha256);
  // Its clock continues from the checkpoint, not from the end, 900 steps later.
  const auto redone = std::ranges::find_if(
      after.steps, [](const StepRow& row) { return row.report.step.value >= 1000; });
  REQUIRE(redone != after.steps.end());
  CHECK(redone->report.start < Instant{} + before.time);
}

TEST_CASE("resume: by time, and again after it was resumed") {
  Sandbox sandbox;
  const std::vector<std::string> settings{"training.steps=3000", "checkpoint=30 ms"};
  const Called plain = sandbox.call("run small.yaml --quiet --out plain --set training.steps=3000");
  REQUIRE(plain.status == 0);
  CHECK(killed_run(sandbox, settings, 0) != 0);
  CHECK(sandbox.call("run small.yaml --quiet --resume out" + set_all(settings)).status == 0);
  // A checkpoint of the resumed run can be resumed, too.
  const Called again = sandbox.call("run small.yaml --resume out" + set_all(settings));
  CAPTURE(again.err);
  CHECK(again.status == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.resumed.size() == 2);
  CHECK(record.steps.size() == 6000);
  CHECK(record.weights_sha256 == read_record(sandbox.path("plain")).weights_sha256);
  CHECK(sandbox.call("simulate --replay out --out replayed").status == 0);
  // --replay rejects a record that lacks its first part.
  Record cut = record;
  std::erase_if(cut.inputs, [](const InputRow& row) { return row.node != 0; });
  const auto second = std::ranges::find(cut.inputs.begin() + 1, cut.inputs.end(),
                                        InputRow::Kind::started, &InputRow::kind);
  cut.inputs.erase(cut.inputs.begin(), second);
  write_record(cut, sandbox.path("cut"));
  const Called refused = sandbox.call("simulate --replay cut --out replayed");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("continued from the checkpoint of step"));
  CHECK_THAT(refused.err, Contains("earlier inputs are missing"));
}

TEST_CASE("resume: another scenario, a folder without a checkpoint are told with their place") {
  Sandbox sandbox;
  sandbox.write("kept.yaml",
                "foretrain: 1\nname: kept\ndataset: {take: 300, test_take: 100}\n"
                "training: {workers: 2, batch_size: 16, steps: 40}\ncheckpoint: 10 steps\n");
  const Called nothing = sandbox.call("run kept.yaml --resume nowhere --quiet");
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.err, Contains("nowhere/checkpoints: no complete checkpoint here"));
  const Called first = sandbox.call("run kept.yaml --out out --full");
  CAPTURE(first.err);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.out, Contains("checkpoints "));
  const std::int64_t kept = newest_cut(sandbox);
  REQUIRE(kept > 0);
  const Called other = sandbox.call("run kept.yaml --resume out --set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("training.batch_size=8"));
  CHECK_THAT(other.err, Contains("the checkpoint is of a training with 16"));
  // Placement, threads and the checkpoint interval may differ.
  CHECK(sandbox
            .call("run kept.yaml --quiet --resume out --set checkpoint=5s --set training.threads=2")
            .status == 0);
  const Called fresh =
      sandbox.call("run kept.yaml --quiet --out out --force --set checkpoint=null");
  CHECK(fresh.status == 0);
  // The checkpoint of the overwritten training is removed.
  CHECK(!fs::exists(exec::folder_of_cut(sandbox.path("out"), kept)));
}

struct ServersShape {
  std::string strategy;
  int before;
  int after;
  std::string more = "seed=1";
};

std::vector<std::string> kept_settings(const ServersShape& shape, int servers) {
  std::vector<std::string> settings{"training.strategy=" + shape.strategy,
                                    "training.steps=2000",
                                    "training.evaluate_every=100",
                                    "training.optimizer={name: adam, learning_rate: 0.001}",
                                    "training.bucket_size=8 kB",
                                    "training.servers=" + std::to_string(servers),
                                    "checkpoint={every: 50 steps, keep: 2}",
                                    shape.more};
  if (shape.strategy == "ssp") settings.emplace_back("training.staleness=0");
  return settings;
}

TEST_CASE("resume: another number of servers shares the parameters, and ends with the same bits") {
  const auto shape =
      GENERATE(ServersShape{"sync", 1, 3}, ServersShape{"sync", 3, 2}, ServersShape{"ssp", 2, 1});
  CAPTURE(shape.strategy, shape.before, shape.after);
  Sandbox sandbox;
  const auto before = kept_settings(shape, shape.before);
  const auto after = kept_settings(shape, shape.after);
  const Called plain = sandbox.call("run small.yaml --quiet --out plain" + set_all(before) +
                                    " --set checkpoint=null");
  REQUIRE(plain.status == 0);
  const Record expected = read_record(sandbox.path("plain"));
  CHECK(killed_run(sandbox, before, 0) != 0);
  const Called resumed = sandbox.call("run small.yaml --resume out" + set_all(after));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK_THAT(resumed.err, Contains(" are distributed to " + std::to_string(shape.after)));
  CHECK_THAT(resumed.out, Contains("resumed "));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.weights_sha256 == expected.weights_sha256);
  CHECK(record.updates == expected.updates);
  CHECK(record.gradients == expected.gradients);
  CHECK(record.steps.size() == expected.steps.size());
  CHECK(record.evals.size() == expected.evals.size());
  CHECK(std::ssize(record.nodes) == 2 + shape.after);
  // The messages to the removed servers say nothing about the new ones.
  const Called replay = sandbox.call("simulate --replay out --out replayed");
  CHECK(replay.status == 2);
  CHECK_THAT(replay.err, Contains("earlier inputs are missing"));
  // From a checkpoint of the new servers back to the old number.
  const Called back =
      sandbox.call("run small.yaml --quiet --resume out --out back" + set_all(before));
  CAPTURE(back.err);
  CHECK(back.status == 0);
  CHECK(read_record(sandbox.path("back")).weights_sha256 == expected.weights_sha256);
}

TEST_CASE("resume: another number of servers of a sparse model") {
  Sandbox sandbox;
  sandbox.write("sparse.yaml",
                "foretrain: 1\nname: sparse\nmodel: sparse_logistic\n"
                "dataset: {format: clicks, take: 300, test_take: 100}\ntraining: {strategy: sync, "
                "workers: 2, servers: 1, batch_size: 16, steps: 40,\n"
                "  optimizer: {name: ftrl, learning_rate: 0.1}}\ncheckpoint: 15 steps\n");
  REQUIRE(sandbox.call("run sparse.yaml --quiet --out out").status == 0);
  const Called resumed = sandbox.call(
      "run sparse.yaml --resume out --out on --set training.servers=3 --max-restarts 1");
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK_THAT(
      resumed.err,
      Contains("continues from step 30, out/checkpoints/step-30; the parameters of 1 server are "
               "distributed to 3"));
  CHECK(read_record(sandbox.path("on")).weights_sha256 ==
        read_record(sandbox.path("out")).weights_sha256);
}

TEST_CASE("resume: with other servers asynchronous workers go on, every gradient accepted once") {
  const auto shape = GENERATE(ServersShape{"async", 1, 3, "training.quota=own"},
                              ServersShape{"ssp", 3, 1, "training.quota=own"});
  CAPTURE(shape.strategy);
  Sandbox sandbox;
  CHECK(killed_run(sandbox, kept_settings(shape, shape.before), 2) != 0);
  const Called resumed = sandbox.call("run small.yaml --resume out --out on --quiet" +
                                      set_all(kept_settings(shape, shape.after)));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  const Record record = read_record(sandbox.path("on"));
  CHECK(record.gradients == 4000);
  CHECK(record.updates == 4000);
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  CHECK(record.steps.size() == 4000);
  CHECK(steps.size() == 4000);
}

TEST_CASE("resume: another number of workers is refused with its place") {
  Sandbox sandbox;
  sandbox.write("kept.yaml",
                "foretrain: 1\nname: kept\ndataset: {take: 300, test_take: 100}\ntraining:\n"
                "  workers: 2\n  batch_size: 16\n  steps: 40\ncheckpoint: 10 steps\n");
  REQUIRE(sandbox.call("run kept.yaml --quiet --out out").status == 0);
  sandbox.write(
      "more.yaml",
      "foretrain: 1\nname: kept\ndataset: {take: 300, test_take: 100}\ntraining:\n"
      "  workers: 3\n  servers: 2\n  batch_size: 16\n  steps: 40\ncheckpoint: 10 steps\n");
  const Called other = sandbox.call("run more.yaml --quiet --resume out");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("more.yaml:5:") && Contains("training.workers: 3") &&
                            Contains("the checkpoint is of a training with 2"));
}

TEST_CASE("resume: what has happened does not happen again, the clock goes on") {
  Sandbox sandbox;
  const std::vector<std::string> settings{
      "training.steps=9000", "checkpoint=20 ms", "faults=[{at: 300 ms, kill: worker1}]",
      "stragglers=[{workers: all, distribution: exponential}]", "training.evaluate_every=500"};
  const Called killed = sandbox.call("run small.yaml --quiet --out out" + set_all(settings));
  CAPTURE(killed.err);
  CHECK(killed.status == 1);
  const Record before = read_record(sandbox.path("out"));
  CHECK(before.ended >= Instant{300'000'000});
  const Called resumed = sandbox.call("run small.yaml --quiet --resume out" + set_all(settings));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.time > before.ended - Instant{});
  CHECK(record.gradients == 18000);
}

TEST_CASE("resume: by itself where torchrun or Slurm has started it again") {
  Sandbox sandbox;
  const std::string variable = GENERATE("TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT");
  CAPTURE(variable);
  const std::string words =
      "run small.yaml --quiet --out out --set training.steps=40 --set "
      "'checkpoint=10 steps'";
  const Called fresh = sandbox.call(words, "export " + variable + "=1");
  CHECK(fresh.status == 0);
  CHECK_THAT(fresh.err, Contains("has no complete checkpoint, so the training begins with step 0"));
  const std::string expected = read_record(sandbox.path("out")).weights_sha256;
  const Called again = sandbox.call(words, "export " + variable + "=2");
  CAPTURE(again.err);
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Contains("continues from step "));
  const Record record = read_record(sandbox.path("out"));
  // The last checkpoint is incomplete if the training ended before its disk was done.
  REQUIRE(record.resumed.size() == 1);
  CHECK((record.resumed[0] == 20 || record.resumed[0] == 30));
  CHECK(record.weights_sha256 == expected);
  const Called first = sandbox.call(words, "export " + variable + "=0");
  CHECK(first.status == 0);
  CHECK(read_record(sandbox.path("out")).resumed.empty());
}

TEST_CASE("resume: a torn part is passed over for the checkpoint before it") {
  Sandbox sandbox;
  const std::string settings = " --set training.steps=40 --set 'checkpoint=10 steps'";
  REQUIRE(sandbox.call("run small.yaml --quiet --out out" + settings).status == 0);
  const Record expected = read_record(sandbox.path("out"));
  const std::int64_t torn = newest_cut(sandbox);
  REQUIRE(torn > 10);
  const fs::path part = exec::file_of_part(sandbox.path("out"), torn, "server0");
  fs::resize_file(part, 100);
  const Called resumed = sandbox.call("run small.yaml --resume out" + settings);
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err, Contains("checkpoint skipped: "));
  CHECK_THAT(resumed.err, Contains(part.string() + ": has 100 bytes"));
  CHECK_THAT(resumed.err, Contains("continues from step " + std::to_string(torn - 10)));
  CHECK(read_record(sandbox.path("out")).weights_sha256 == expected.weights_sha256);
}

}  // namespace
}  // namespace foretrain
