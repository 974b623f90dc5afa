// Commands that Ctrl-C or SIGTERM interrupts.
#include "reports/cli/commands.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "tests/cli/child.h"
#include "tests/cli/sandbox.h"
#include "tests/reports/support.h"
#include "tests/support/child_processes.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace foretrain::testing {
namespace {

using Catch::Matchers::Contains;

/// A running command in the folder of a sandbox; the destructor kills it if it still runs.
class StartedCommand {
 public:
  StartedCommand(Sandbox& sandbox, const std::vector<std::string>& words) : sandbox_(sandbox) {
    process_ = fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) become(words);
  }
  StartedCommand(const StartedCommand&) = delete;
  StartedCommand& operator=(const StartedCommand&) = delete;
  ~StartedCommand() {
    if (ended_) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  /// Whether it handles a signal itself: before its exec it has the handlers of the tests.
  [[nodiscard]] bool listens_to(int signal) const {
    const std::string process = "/proc/" + std::to_string(process_);
    std::error_code gone;
    if (std::filesystem::read_symlink(process + "/exe", gone) != program_path()) return false;
    std::ifstream file(process + "/status");
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
    }
    return false;
  }
  [[nodiscard]] bool says(const std::string& what) const {
    return text_of(sandbox_.path("said.err")).find(what) != std::string::npos;
  }
  /// CPU time used so far, in ticks of the kernel (hundredths of a second).
  [[nodiscard]] std::int64_t ticks() const {
    const std::string stat = text_of("/proc/" + std::to_string(process_) + "/stat");
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string other;
    for (int i = 0; i < 11; ++i) fields >> other;  // state to cmajflt
    std::int64_t user = 0;
    fields >> user;
    return user;
  }
  /// Whether it has started child processes, which measure.
  [[nodiscard]] bool has_children() const { return !child_processes(process_).empty(); }
  void send(int signal) const { kill(process_, signal); }
  int wait() {
    ended_ = true;
    return exit_of(process_);
  }

 private:
  [[noreturn]] void become(const std::vector<std::string>& words) const {
    if (chdir(sandbox_.path("").c_str()) != 0) _exit(126);
    setenv("XDG_CACHE_HOME", "cache", 1);
    dup2(open("said.out", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open("said.err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    become_program(words);
  }

  Sandbox& sandbox_;
  pid_t process_ = 0;
  bool ended_ = false;
};

TEST_CASE("interrupted: a simulation leaves the record so far with its totals, with any rows") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  const std::string rows = GENERATE("all", "summary");
  CAPTURE(signal, rows);
  Sandbox sandbox;
  StartedCommand command(
      sandbox, {"simulate", "small.yaml", "--machine", "machine.yaml", "--out", "here", "--record",
                rows, "--set", "training.steps=10000000", "--set", "numerics=off"});
  wait_until([&] { return command.listens_to(signal) && sandbox.has("here"); });
  const std::int64_t began = command.ticks();
  wait_until([&] { return command.ticks() > began + 20; });  // it computes steps by now
  command.send(signal);
  CHECK(command.wait() == 130);
  const Record record = read_record(sandbox.path("here"));
  CHECK(record.outcome == Outcome::interrupted);
  const std::int64_t steps =
      record.step_totals ? record.step_totals->steps : std::ssize(record.steps);
  CHECK(steps > 0);
  CHECK(record.gradients == steps);
  CHECK(record.updates == steps / 2);  // of two workers
  CHECK(record.time.ns > 0);
  CHECK_THAT(text_of(sandbox.path("said.out")), Contains("sync simulated was interrupted after "));
  CHECK_THAT(text_of(sandbox.path("said.err")), Contains("error: interrupted"));
}

TEST_CASE("interrupted: a calibration that a command has begun ends, and nothing of it is kept") {
  const std::string mode = GENERATE("simulate", "sweep");
  CAPTURE(mode);
  Sandbox sandbox;
  StartedCommand command(sandbox, {mode, "small.yaml", "--out", "here"});
  // The sweep itself does not print what it measures.
  if (mode == "simulate") wait_until([&] { return command.says("messages over loopback"); });
  if (mode == "sweep") wait_until([&] { return command.has_children(); });
  command.send(SIGINT);
  CHECK(command.wait() == 130);
  CHECK(!sandbox.has("cache/foretrain"));
  if (mode == "simulate") {
    CHECK_THAT(text_of(sandbox.path("said.err")), Contains("error: interrupted by signal 2\n"));
  } else {
    CHECK(text_of(sandbox.path("here/rows.1-of-1.jsonl")).empty());  // no failed case
    CHECK_THAT(text_of(sandbox.path("said.out")), Contains("0 of 1 cases are done."));
  }
}

TEST_CASE("interrupted: a run of several cases begins no other, those that are done stay") {
  Sandbox sandbox;
  StartedCommand command(sandbox,
                         {"run", "small.yaml", "--out", "here", "--set",
                          "sweep=[{training.steps: 5}, {training.steps: 10000000}, {seed: 9}]"});
  wait_until([&] { return sandbox.has("here/steps=10000000/steps.csv"); });
  command.send(SIGTERM);
  CHECK(command.wait() == 130);
  CHECK(read_record(sandbox.path("here/steps=5")).outcome == Outcome::done);
  const Record record = read_record(sandbox.path("here/steps=10000000"));
  CHECK(record.outcome == Outcome::interrupted);
  CHECK(record.gradients == std::ssize(record.steps));
  CHECK(!sandbox.has("here/seed=9/run.json"));
}

/// Cases that finish at once.
Record done_at_once(const Case& each) {
  Record record = small_record(Mode::simulate, "sync");
  record.scenario_case = each;
  return record;
}

TEST_CASE("interrupted: a signal while a record is written loses none, and begins no other") {
  const TemporaryFolder folder;
  Answer answer{{.out = folder.path() / "out", .json = true, .quiet = true}, "simulate"};
  std::vector<Case> cases{small_record(Mode::simulate, "sync").scenario_case,
                          small_record(Mode::simulate, "async").scenario_case};
  cases[0].settings = {{"training.strategy", "sync"}};
  cases[1].settings = {{"training.strategy", "async"}};
  int trained = 0;
  const auto train = [&](const Case& each, const std::filesystem::path& /*folder*/) {
    ++trained;
    return done_at_once(each);
  };
  const auto keep = [](const Record& record, const std::filesystem::path& place) {
    std::raise(SIGINT);
    keep_record(record, place);
  };
  const Interruption interruption;
  CHECK(train_cases(answer, cases, Mode::simulate, train, keep) == kInterrupted);
  CHECK(trained == 1);
  CHECK(read_record(answer.folder_of(cases[0])).outcome == Outcome::done);
  CHECK_FALSE(std::filesystem::exists(answer.folder_of(cases[1]) / kRunFile));
}

}  // namespace
}  // namespace foretrain::testing
