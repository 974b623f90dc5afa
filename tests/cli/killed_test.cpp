// The record of a run whose launcher was killed.
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace foretrain {
namespace {

using testing::BackgroundRun;
using testing::Called;
using testing::Sandbox;

TEST_CASE("killed: a launcher leaves the record of what was trained until a second before") {
  Sandbox sandbox;
  BackgroundRun run(sandbox, {"training.steps=10000000", "training.strategy=async"});
  run.wait_for_steps(10'000);
  // Totals are written each second.
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  run.kill_one(-1);
  CHECK(run.wait() == 128 + SIGKILL);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.updates > 50);
  CHECK(record.nodes[2].tx.value > 10'000);
  const Called report = sandbox.call("report out --out page");
  CAPTURE(report.err);
  CHECK(report.status == 0);
  CHECK(testing::text_of(sandbox.path("page/report.html")).find("interrupted at step ") !=
        std::string::npos);
  const Called replay = sandbox.call("simulate --replay out --out replayed");
  CAPTURE(replay.err);
  CHECK(replay.status == 130);
  CHECK(replay.out.find("no weights to compare") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
