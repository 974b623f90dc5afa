// Trainings that resume from a checkpoint although some tasks cannot read their parts.
#include "tests/support/task_job.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

// Three checkpoints are kept; the steps after the last give the disk enough time.
const std::vector<std::string> kWithCheckpoints{"--set", "training.steps=2400", "--set",
                                                "checkpoint=500 steps"};

// Starts all ranks and returns their exit statuses.
std::vector<int> train_all(TaskJob& job, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = kWithCheckpoints;
  words.insert(words.end(), more.begin(), more.end());
  for (const int rank : {0, 1, 2}) job.start(rank, words);
  return {job.end_of(0), job.end_of(1), job.end_of(2)};
}

fs::path kept_at(const TaskJob& job, int cut) {
  return job.path("out/checkpoints/step-" + std::to_string(cut));
}

// The steps of the complete checkpoints, newest first.
std::vector<int> kept_cuts(const TaskJob& job) {
  std::vector<int> cuts;
  for (const int cut : {2000, 1500, 1000, 500}) {
    if (fs::exists(kept_at(job, cut) / "manifest.json")) cuts.push_back(cut);
  }
  return cuts;
}

const std::vector<int> kAllDone{0, 0, 0};

TEST_CASE("tasks: a torn part that rank 0 sees is passed over for the checkpoint before it") {
  TaskJob job(3);
  REQUIRE(train_all(job) == kAllDone);
  const std::string weights = job.answer().at("weights_sha256");
  const std::vector<int> cuts = kept_cuts(job);
  REQUIRE(cuts.size() == 3);
  const fs::path part = kept_at(job, cuts[0]) / "worker1.ckpt";
  fs::resize_file(part, 20);
  const std::vector<int> statuses = train_all(job, {"--resume", "out"});
  CAPTURE(job.errors(0));
  REQUIRE(statuses == kAllDone);
  CHECK(job.errors(0).find("worker1.ckpt: has 20 bytes") != std::string::npos);
  CHECK(job.errors(0).find("continues from step " + std::to_string(cuts[1])) != std::string::npos);
  CHECK(job.answer().at("weights_sha256") == weights);
}

// For rank 0 a missing part may be on another machine.
TEST_CASE("tasks: where ranks cannot read their parts all go back to the newest that all have") {
  TaskJob job(3);
  REQUIRE(train_all(job) == kAllDone);
  const std::string weights = job.answer().at("weights_sha256");
  const std::vector<int> cuts = kept_cuts(job);
  REQUIRE(cuts.size() == 3);
  fs::remove(kept_at(job, cuts[0]) / "worker1.ckpt");
  fs::remove(kept_at(job, cuts[1]) / "worker0.ckpt");
  fs::remove(kept_at(job, cuts[1]) / "server0.ckpt");
  const std::vector<int> statuses = train_all(job, {"--resume", "out"});
  const std::string errors = job.errors(0);
  CAPTURE(errors, job.errors(1), job.errors(2));
  REQUIRE(statuses == kAllDone);
  const auto newest = errors.find("continues from step " + std::to_string(cuts[0]));
  const auto passed = errors.find("checkpoint skipped: worker1 (rank 1): ", newest);
  const auto oldest = errors.find("continues from step " + std::to_string(cuts[2]), passed);
  CHECK(newest != std::string::npos);
  CHECK(passed != std::string::npos);
  CHECK(oldest != std::string::npos);
  CHECK(job.answer().at("weights_sha256") == weights);
}

TEST_CASE("tasks: where a rank has its part of no checkpoint all end, and all of them stay") {
  TaskJob job(3);
  REQUIRE(train_all(job) == kAllDone);
  const std::vector<int> cuts = kept_cuts(job);
  REQUIRE(cuts.size() == 3);
  for (const int cut : cuts) fs::remove(kept_at(job, cut) / "worker1.ckpt");
  CHECK(train_all(job, {"--resume", "out"}) == std::vector<int>{1, 1, 1});
  const std::string failure = job.answer().at("failure");
  CHECK(failure.find("worker1 (rank 1): ") == 0);
  CHECK(failure.find("worker1.ckpt") != std::string::npos);
  CHECK(failure.find("; there is no older complete checkpoint") != std::string::npos);
  CHECK(kept_cuts(job) == cuts);
}

}  // namespace
}  // namespace foretrain::testing
