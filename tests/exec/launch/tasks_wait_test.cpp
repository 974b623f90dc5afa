// Tasks of a foreign launcher that wait for the restart of a dead one.
#include "tests/support/task_job.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {

// A training of three nodes with this `rejoin_limit`.
void write_waiting(const TaskJob& job, const std::string& training, const std::string& limit) {
  std::ofstream(job.path("small.yaml"))
      << "foretrain: 1\nname: small\ndataset: {take: 300, test_take: 100}\n"
         "training: {batch_size: 16, steps: 8000, bucket_size: 8 kB, rejoin_limit: "
      << limit << ", " << training << "}\ncheckpoint: {every: 100 steps}\n";
}

void wait_until_told(const TaskJob& job, const std::string& what) {
  CAPTURE(what);
  wait_until([&] { return job.errors(0).find(what) != std::string::npos; });
}

void kill_in_between(TaskJob& job, int rank) {
  for (const int each : {0, 1, 2}) job.start(each);
  job.wait_for_checkpoint();
  job.kill_rank(rank);
  CHECK(job.end_of(rank) == 128 + SIGKILL);
}

struct TaskShape {
  std::string training;
  int victim;
};

TEST_CASE("tasks: a rank that is started again is waited for, with the bits of a quiet run") {
  const auto shape = GENERATE(TaskShape{"strategy: all_reduce, workers: 3", 1},
                              TaskShape{"strategy: sync, workers: 2", 2},
                              TaskShape{"strategy: sync, workers: 2", 1});
  CAPTURE(shape.training, shape.victim);
  TaskJob job(3);
  write_waiting(job, shape.training, "30 s");
  kill_in_between(job, shape.victim);
  wait_until_told(job, "; the others wait for it, 30 s at most\n");
  job.start(shape.victim);
  wait_until_told(job, "all nodes have joined again; continues from step ");
  for (const int rank : {0, 1, 2}) {
    CAPTURE(rank, job.errors(rank));
    CHECK(job.end_of(rank) == 0);
  }
  CHECK(job.answer().at("outcome") == "done");
  CHECK(job.answer().at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
}

}  // namespace
}  // namespace foretrain::testing
