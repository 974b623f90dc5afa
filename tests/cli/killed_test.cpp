// What a launcher leaves that was killed.
#include "reports/record/files.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

TEST_CASE("killed: a launcher leaves the record of what was trained until a second before") {
  Sandbox sandbox;
  const std::string scenario = sandbox.path("small.yaml").string();
  const std::string out = sandbox.path("killed").string();
  const pid_t launcher = fork();
  if (launcher == 0) {
    execl(program_path(), program_path(), "run", scenario.c_str(), "--set",
          "training.steps=10000000", "--set", "training.strategy=async", "--quiet", "--out",
          out.c_str(), nullptr);
    _exit(127);
  }
  const auto steps = sandbox.path("killed/steps.csv");
  const auto is_written = [&] {
    return std::filesystem::exists(steps) && std::filesystem::file_size(steps) > 10'000;
  };
  for (int i = 0; i < 1'000 && !is_written(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // Totals are written each second.
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  REQUIRE(is_written());
  const Record record = read_record(out);
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.updates > 50);
  CHECK(record.nodes[2].tx.value > 10'000);
  const Called report = sandbox.call("report killed --out page");
  CAPTURE(report.err);
  CHECK(report.status == 0);
  CHECK(testing::text_of(sandbox.path("page/report.html")).find("interrupted at step ") !=
        std::string::npos);
  const Called replay = sandbox.call("simulate --replay killed --out replayed");
  CAPTURE(replay.err);
  CHECK(replay.status == 130);
  CHECK(replay.out.find("no weights to compare") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
