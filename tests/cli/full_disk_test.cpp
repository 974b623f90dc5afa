// A full disk, a closed reader of standard output.
#include "reports/record/files.h"
#include "tests/cli/sandbox.h"
#include "tests/support/half_written.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using testing::Called;
using testing::half_written;
using testing::Sandbox;
using testing::SmallFiles;

TEST_CASE("full disk: a command whose result standard output does not take has failed") {
  if (!fs::exists("/dev/full")) {
    WARN("skipped: there is no /dev/full here");
    return;
  }
  Sandbox sandbox;
  REQUIRE(sandbox.call("run small.yaml --quiet --out r --save w.safetensors").status == 0);
  for (const char* words :
       {"simulate small.yaml --machine machine.yaml --out s", "run small.yaml --out r",
        "simulate small.yaml --machine machine.yaml --out s --json",
        "run small.yaml --out r --json", "simulate --replay r --out p",
        "whatif small.yaml --machine machine.yaml --json",
        "whatif small.yaml --machine machine.yaml",
        "sweep small.yaml --machine machine.yaml --json", "report r", "check small.yaml",
        "check --schema", "evaluate small.yaml --weights w.safetensors",
        "evaluate small.yaml --weights w.safetensors --json", "data list", "describe man", "--help",
        "--version", "run --help"}) {
    const Called called = sandbox.call(words, "true", "/dev/full");
    INFO(words << "\n" << called.err);
    CHECK(called.status == 1);
    CHECK_THAT(called.err, Contains("error: standard output: cannot write"));
  }
  // Results that could be written are there nevertheless.
  CHECK(read_record(sandbox.path("s")).outcome == Outcome::done);
  CHECK(sandbox.has("r/provenance.json"));
}

TEST_CASE("full disk: weights that cannot be saved fail the run by their own name") {
  if (!fs::exists("/dev/full")) {
    WARN("skipped: there is no /dev/full here");
    return;
  }
  const std::string strategy = GENERATE("sync", "async");  // async survives a worker
  Sandbox sandbox;
  fs::create_symlink("/dev/full", sandbox.path("w.safetensors"));
  const Called called = sandbox.call(
      "run small.yaml --quiet --out r --save w.safetensors --max-restarts 1 --set "
      "training.strategy=" +
      strategy);
  CAPTURE(strategy, called.err);
  CHECK(called.status == 1);
  CHECK_THAT(called.err, Contains("error: worker0: ") &&
                             Contains("w.safetensors: cannot write: No space left on device\n"));
  CHECK_THAT(called.err, !Contains("silent") && !Contains("again"));
  CHECK(read_record(sandbox.path("r")).outcome == Outcome::failed);
}

TEST_CASE("full disk: a reader of standard output that has gone away costs no record, no error") {
  Sandbox sandbox;
  sandbox.call("simulate small.yaml --machine machine.yaml --out here 2>said.txt | true #");
  CHECK(read_record(sandbox.path("here")).outcome == Outcome::done);
  CHECK(sandbox.has("said.txt"));
  CHECK(testing::text_of(sandbox.path("said.txt")).find("error") == std::string::npos);
}

TEST_CASE("full disk: a simulation is told first, then kept without the rows that do not fit") {
  Sandbox sandbox;
  const std::string simulate =
      "simulate small.yaml --machine machine.yaml --set training.steps=2000 --out here ";
  Called called;
  {
    const SmallFiles full(30'000);
    called = sandbox.call(simulate);
  }
  INFO(called.err);
  CHECK(called.status == 1);
  CHECK_THAT(called.out, StartsWith("sync simulated: 4,000 gradients in "));
  CHECK_THAT(called.err, Contains("steps.csv: cannot write: ") &&
                             EndsWith("; here has the record so far, without its rows\n"));
  const Record record = read_record(sandbox.path("here"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 4'000);
  CHECK(record.step_totals->steps == 4'000);
  CHECK(half_written(sandbox.path("here")).empty());
  // The answer is printed with --json as well.
  const SmallFiles full(30'000);
  const Called json = sandbox.call(simulate + "--json");
  CHECK(json.status == 1);
  CHECK_THAT(json.out, Contains("\"gradients\": 4000"));
}

TEST_CASE("full disk: a sweep tells what it did, keeps the rows that fit, goes on later") {
  Sandbox sandbox;
  const std::string sweep =
      "sweep small.yaml --machine machine.yaml --jobs 1 --out here --set 'sweep.seed=[1, 2, 3, 4, "
      "5, 6, 7, 8, 9, 10, 11, 12]' --set 'sweep.training.strategy=[sync, async]' ";
  Called called;
  {
    const SmallFiles full(8'000);
    called = sandbox.call(sweep);
  }
  INFO(called.err);
  CHECK(called.status == 1);
  CHECK_THAT(called.out, Contains(" of 24 cases are done."));
  CHECK_THAT(called.err, Contains("error: here/rows.1-of-1.jsonl: cannot write: "));
  CHECK(!sandbox.has("here/sweep.csv"));
  const Called again = sandbox.call(sweep);
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("24 of 24 cases are done") && Contains("by earlier starts"));
}

// With a really full disk.
TEST_CASE("full disk: a run into a file system that fills up says so, and can be read") {
  if (geteuid() != 0) {
    WARN("skipped: only root mounts a small file system");
    return;
  }
  Sandbox sandbox;
  const fs::path place = sandbox.path("small");
  fs::create_directory(place);
  if (mount("tmpfs", place.c_str(), "tmpfs", 0, "size=256k") != 0) {
    WARN("skipped: this machine does not let root mount a tmpfs");
    return;
  }
  const Called called = sandbox.call("run small.yaml --out small/out --set training.steps=20000");
  CHECK(called.status == 1);
  CHECK_THAT(called.out, StartsWith("sync run failed after "));
  CHECK_THAT(called.err, Contains("cannot write: No space left on device"));
  const Record record = read_record(place / "out");
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.gradients > 0);
  CHECK(half_written(place).empty());
  CHECK(umount2(place.c_str(), MNT_DETACH) == 0);
}

}  // namespace
}  // namespace foretrain
