// A run that was suspended as a whole, as by a sleeping laptop or a suspended job.
#include "reports/record/files.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace foretrain {
namespace {

using testing::BackgroundRun;
using testing::Sandbox;
using testing::wait_until;

void send_to(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes) kill(process, signal);
}

// The silence limit is 1 s; the run is suspended for twice as long.
TEST_CASE("stopped: a run whose processes all stood still goes on with every node") {
  const std::string strategy = GENERATE("ssp", "all_reduce");
  CAPTURE(strategy);
  Sandbox sandbox;
  BackgroundRun run(sandbox, {"training.silence_limit=1 s", "training.steps=8000",
                              "training.strategy=" + strategy});
  wait_until([&] { return sandbox.has("out/steps.csv"); });
  const std::vector<pid_t> nodes = run.nodes();
  CHECK(nodes.size() >= 2);
  send_to(nodes, SIGSTOP);
  kill(run.launcher(), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  // By its clock the nodes have been silent for too long.
  kill(run.launcher(), SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  send_to(nodes, SIGCONT);
  CHECK(run.wait() == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.failure.empty());
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 16'000);
  for (const NodeTotals& node : record.nodes) {
    CAPTURE(node.role);
    CHECK(node.lost.empty());
  }
}

/// Whether it has ended without having been waited for.
bool has_ended(pid_t process) {
  siginfo_t info{};
  const int status = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
  return status == 0 && info.si_pid == process;
}

// Nodes continue meanwhile: their messages are queued, and read before a node counts as silent.
TEST_CASE("stopped: a run whose launcher alone stood still comes to its end") {
  constexpr int kLooks = 1'200;  // of 50 ms: a minute
  Sandbox sandbox;
  BackgroundRun run(sandbox, {"training.silence_limit=1 s", "training.steps=4000",
                              "training.strategy=all_reduce"});
  wait_until([&] { return sandbox.has("out/steps.csv"); });
  kill(run.launcher(), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
  kill(run.launcher(), SIGCONT);
  for (int i = 0; i < kLooks && !has_ended(run.launcher()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  REQUIRE(has_ended(run.launcher()));
  CHECK(run.wait() == 0);
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.failure.empty());
  CHECK(record.outcome == Outcome::done);
  CHECK(record.gradients == 8'000);
  for (const NodeTotals& node : record.nodes) {
    CAPTURE(node.role);
    CHECK(node.lost.empty());
  }
}

}  // namespace
}  // namespace foretrain
