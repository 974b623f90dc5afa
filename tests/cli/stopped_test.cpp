// A run that stood still as a whole: a laptop that slept, a job that was suspended.
#include "reports/record/files.h"
#include "tests/cli/sandbox.h"
#include "tests/support/child_processes.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace foretrain {
namespace {

using testing::Sandbox;

void send_to(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes) kill(process, signal);
}

// Its silence limit is 1 s, and it stands still for twice as long.
TEST_CASE("stopped: a run whose processes all stood still goes on with every node") {
  const std::string strategy = GENERATE("ssp", "all_reduce");
  CAPTURE(strategy);
  Sandbox sandbox;
  const std::string scenario = sandbox.path("small.yaml").string();
  const std::string out = sandbox.path("stopped").string();
  const std::string set = "training.strategy=" + strategy;
  const pid_t launcher = fork();
  if (launcher == 0) {
    execl(program_path(), program_path(), "run", scenario.c_str(), "--set",
          "training.silence_limit=1 s", "--set", "training.steps=8000", "--set", set.c_str(),
          "--quiet", "--out", out.c_str(), nullptr);
    _exit(127);
  }
  const auto begun = [&] { return std::filesystem::exists(sandbox.path("stopped/steps.csv")); };
  for (int i = 0; i < 1'000 && !begun(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::vector<pid_t> nodes = testing::child_processes(launcher);
  CHECK(nodes.size() >= 2);
  send_to(nodes, SIGSTOP);
  kill(launcher, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  // Its clock says at once that they have been silent for too long.
  kill(launcher, SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  send_to(nodes, SIGCONT);
  int status = 0;
  waitpid(launcher, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  const Record record = read_record(out);
  CHECK(record.failure.empty());
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 16'000);
  for (const NodeTotals& node : record.nodes) {
    CAPTURE(node.role);
    CHECK(node.lost.empty());
  }
}

}  // namespace
}  // namespace foretrain
