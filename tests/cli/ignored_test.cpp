// Options that a command would have to ignore, which are errors instead.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;

/// Standard error of a command that has to reject its input.
std::string refused(Sandbox& sandbox, const std::string& arguments,
                    const std::string& before = "true") {
  const Called called = sandbox.call(arguments, before);
  CAPTURE(arguments, called.err);
  CHECK(called.status == 2);
  return called.err;
}

TEST_CASE("ignored: a replay is of its record alone") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("run small.yaml --set training.strategy=async --quiet --out ran").status ==
          0);
  const std::string replay = "simulate --replay ran --out again ";
  CHECK_THAT(refused(sandbox, replay + "--set training.workers=3"),
             Contains("--set training.workers=3: ran is a record") && Contains("--out, --json"));
  CHECK_THAT(refused(sandbox, replay + "--seed 3"), Contains("--seed 3: ran is a record"));
  for (const char* other :
       {"small.yaml", "--machine machine.yaml", "--emulate", "--record summary"}) {
    CAPTURE(other);
    CHECK_THAT(refused(sandbox, replay + other), Contains("excludes") && Contains("--replay"));
  }
  CHECK(sandbox.call(replay).status == 0);
}

TEST_CASE("ignored: a job key is for tasks that somebody else started") {
  Sandbox sandbox;
  sandbox.write("job.key", "0123456789abcdef0123456789abcdef\n");
  for (const char* command : {"run small.yaml --quiet", "validate small.yaml --repeat 1"}) {
    CAPTURE(command);
    CHECK_THAT(
        refused(sandbox, std::string(command) + " --job-key job.key", "unset RANK WORLD_SIZE"),
        Contains("--job-key job.key") && Contains("srun, mpirun"));
  }
}

TEST_CASE("ignored: calibrate lays nothing over a scenario that it has not got") {
  Sandbox sandbox;
  sandbox.write("times.csv", "batch_size,seconds\n16,0.25\n");
  CHECK_THAT(
      refused(sandbox, "calibrate --from times.csv --model 'softmax 784x10' --out t.yaml --seed 3"),
      Contains("--seed requires scenario"));
}

TEST_CASE("ignored: calibrate of a model that no scenario has is told those there are") {
  Sandbox sandbox;
  sandbox.write("times.csv", "batch_size,seconds\n16,0.25\n");
  const std::string calibrate = "calibrate --from times.csv --out t.yaml --model ";
  CHECK_THAT(refused(sandbox, calibrate + "'lennet 784x10'"),
             Contains("--model lennet 784x10: no scenario has such a model; did you mean lenet?") &&
                 Contains("softmax, mlp, lenet, lenet_large") && Contains("'lenet 784x10'"));
  for (const char* wrong : {"lenet", "'lenet 784'", "'lenet x10'", "'lenet 784x'", "''"}) {
    refused(sandbox, calibrate + wrong);
  }
  CHECK_FALSE(sandbox.has("t.yaml"));
  for (const char* right : {"'mlp-300-100 784x10'", "'layers-1f3c5a70 784x10 threads 2'"}) {
    CAPTURE(right);
    CHECK(sandbox.call(calibrate + right).status == 0);
  }
}

TEST_CASE("ignored: a machine file is read where every host says what it costs, too") {
  Sandbox sandbox;
  sandbox.write("told.yaml",
                "foretrain: 1\nname: told\ndataset: {take: 300, test_take: 100}\n"
                "training: {workers: 2, batch_size: 16, steps: 3}\n"
                "cluster: {hosts: [{name: a, count: 3, compute: 10 ms}]}\nnumerics: off\n");
  sandbox.write("broken.yaml", "foretrain_machine: 1\nname: [\n");
  for (const std::string command :
       {"simulate told.yaml", "sweep told.yaml", "whatif told.yaml", "serve told.yaml --port 0"}) {
    CHECK_THAT(refused(sandbox, command + " --machine nowhere.yaml"), Contains("nowhere.yaml"));
    CHECK_THAT(refused(sandbox, command + " --machine broken.yaml"), Contains("broken.yaml"));
  }
  const std::string note = "note: --machine machine.yaml (made-up) is not used";
  const Called unused = sandbox.call("simulate told.yaml --machine machine.yaml --out unused");
  CHECK(unused.status == 0);
  CHECK_THAT(unused.err, Contains(note));
  const Called used = sandbox.call("simulate small.yaml --machine machine.yaml --out used");
  CHECK(used.status == 0);
  CHECK(used.err.find("is not used") == std::string::npos);
}

TEST_CASE("ignored: options that would say nothing are refused") {
  Sandbox sandbox;
  CHECK_THAT(refused(sandbox, "whatif small.yaml --machine machine.yaml --repeat 2"),
             Contains("--repeat requires --verify"));
  for (const char* other : {"small.yaml", "--set seed=2", "--seed 2", "--graph"}) {
    CAPTURE(other);
    CHECK_THAT(refused(sandbox, std::string("check --schema ") + other),
               Contains("excludes") && Contains("--schema"));
  }
  for (const char* command :
       {"simulate small.yaml --machine machine.yaml", "examples quickstart", "new </dev/null"}) {
    CAPTURE(command);
    CHECK_THAT(refused(sandbox, std::string(command) + " --out ''"),
               Contains("--out: is empty; write a folder or file, or leave it out"));
  }
}

TEST_CASE("ignored: a bound below zero is refused in few words") {
  Sandbox sandbox;
  for (const char* wrong : {"-3", "-1e-9", "nan", "many"}) {
    CAPTURE(wrong);
    const std::string told =
        refused(sandbox, std::string("validate small.yaml --fail-above ") + wrong);
    CHECK_THAT(told, Contains(std::string("--fail-above: ") + wrong +
                              " is not allowed; write per "
                              "cent, 0 or more"));
    CHECK(told.size() < 200);
  }
  const std::string told = refused(sandbox, "whatif small.yaml --deadline 1h --budget 0");
  CHECK_THAT(told, Contains("--budget 0: is no amount of money above 0"));
}

}  // namespace
}  // namespace foretrain
